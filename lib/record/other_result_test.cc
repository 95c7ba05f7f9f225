#include "lib/record/other_result.h"

#include <unistd.h>

#include <cstdint>

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/flag_range.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

RANGED_FLAG(uint32_t, epochs, 5, 0, 100, "");
RANGED_FLAG(double, rate, 0.1, 0, 1, "");
ABSL_FLAG(std::string, name, "", "");
ABSL_FLAG(bool, evaluate, true, "");
ABSL_FLAG(std::string, input, "", "");
ABSL_FLAG(std::string, output, "", "");
ABSL_FLAG(bool, force, false, "");

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::StatusCode kUsage = absl::StatusCode::kInvalidArgument;

// Command with one input, from which HeaderOf makes a header.
struct Command {
  std::vector<std::string> flags;
  std::string input = "dataset.rec";
  std::string bytes = "images";  // input's content, used as its digest
  std::string device = "a CPU";
  std::string build = "";  // another build; empty: this program
};

proto::Header HeaderOf(const Command& command) {
  HeaderOptions options;
  options.schema = "lockstep.proto.SweepFile";
  proto::Input input;
  input.set_path(command.input);
  input.set_sha256(command.bytes);
  options.inputs = {input};
  proto::Device device;
  device.set_name(command.device);
  options.devices = {device};
  options.result_flags = {{"all", command.build + command.flags.front()}};
  proto::Header header = MakeHeader(options);
  header.add_command_line("train_sweep");
  for (const std::string& flag : command.flags) {
    header.add_command_line(flag);
  }
  if (!command.build.empty()) {
    header.mutable_build()->set_build_id(command.build);
  }
  return header;
}

std::string WriteRun(const Command& command) {
  const std::string path = TempPath("sweep.rec");
  unlink(path.c_str());
  auto writer = RecordWriter::Create(path, HeaderOf(command));
  EXPECT_THAT((*writer)->Finish(0), IsOk());
  return path;
}

absl::Status CheckMayReplace(const std::string& path, const proto::Header& planned,
                             const std::vector<std::string>& other_outputs = {}) {
  const bool has_part = access((path + ".part").c_str(), F_OK) == 0;
  return ReplaceOwnResult(planned, other_outputs)({path, has_part}).status();
}

absl::Status Replace(const Command& then, const Command& now) { return CheckMayReplace(WriteRun(then), HeaderOf(now)); }

TEST(ReplaceOwnResultTest, WhereNothingIsNothingIsLost) {
  EXPECT_THAT(CheckMayReplace(TempPath("none"), HeaderOf({{"--epochs=5"}})), IsOk());
  const std::string empty = TempPath("empty");
  WriteFile(empty, "");
  EXPECT_THAT(CheckMayReplace(empty, HeaderOf({{"--epochs=5"}})), IsOk());
}

TEST(ReplaceOwnResultTest, AFlagThatDiffersIsNamedWithBothValues) {
  EXPECT_THAT(
      Replace({{"--epochs=7"}}, {{"--epochs=9"}}),
      StatusIs(kUsage, AllOf(HasSubstr("sweep.rec holds another result (--epochs: 7 -> 9); "), HasSubstr("--force"))));
  EXPECT_THAT(Replace({{"--epochs=7"}}, {{"--noevaluate"}}),
              StatusIs(kUsage, HasSubstr("(--epochs: 7 -> 5, --evaluate: true -> false)")));
}

TEST(ReplaceOwnResultTest, ALongValueIsCutBetweenCharacters) {
  std::string letters = "x";  // makes byte 60 the first of a two-byte character
  for (int i = 0; i < 40; ++i) {
    letters += "\xc3\xa9";
  }
  EXPECT_THAT(Replace({{"--rate=0.1"}}, {{"--name=" + letters}}), StatusIs(kUsage, HasSubstr("\xc3\xa9...")));
}

TEST(ReplaceOwnResultTest, WhatIsWrittenOtherwiseIsTheSame) {
  EXPECT_THAT(Replace({{"--rate=0.10"}}, {{"--rate=0.1"}}), IsOk());
  EXPECT_THAT(Replace({{"--epochs", "5"}}, {{"--force"}}), IsOk());
  EXPECT_THAT(Replace({{"--output=a/sweep.rec"}}, {{"--output=sweep.rec"}}), IsOk());
}

TEST(ReplaceOwnResultTest, AnotherInputIsNamedAndANewerOneIsTaken) {
  EXPECT_THAT(Replace({{"--input=a"}, "a", "images"}, {{"--input=b"}, "b", "others"}),
              StatusIs(kUsage, HasSubstr("(input: a -> b)")));
  EXPECT_THAT(Replace({{"--input=-"}, "-", "images"}, {{"--input=-"}, "-", "others"}),
              StatusIs(kUsage, HasSubstr("(standard input differs)")));
  EXPECT_THAT(Replace({{"--input=a"}, "a", "images"}, {{"--input=b"}, "b", "images"}), IsOk());
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(Replace({{"--input=a"}, "a", "images"}, {{"--input=a"}, "a", "others"}), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("again: a has changed\n"));
}

TEST(ReplaceOwnResultTest, AnotherDeviceIsAnotherResult) {
  EXPECT_THAT(Replace({{"--epochs=5"}, "a", "images", "NVIDIA H200"}, {{"--epochs=5"}, "a", "images", "a CPU"}),
              StatusIs(kUsage, HasSubstr("(device: NVIDIA H200 -> a CPU)")));
}

TEST(ReplaceOwnResultTest, AnotherBuildIsNot) {
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(Replace({{"--epochs=5"}, "a", "images", "a CPU", "old"}, {{"--epochs=5"}, "a"}), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("again: another build of the program made it\n"));
}

TEST(ReplaceOwnResultTest, WhatIsNoRecordOfThisToolIsKept) {
  const std::string path = TempPath("notes.txt");
  WriteFile(path, "notes\n");
  EXPECT_THAT(CheckMayReplace(path, HeaderOf({{"--epochs=5"}})),
              StatusIs(kUsage, AllOf(HasSubstr("would replace "), HasSubstr("not a Lockstep record file"))));
  EXPECT_EQ(ReadFile(path), "notes\n");
  proto::Header other = HeaderOf({{"--epochs=5"}});
  other.set_schema("lockstep.proto.ScaleFile");
  const std::string record = WriteRun({{"--epochs=5"}});
  EXPECT_THAT(CheckMayReplace(record, other),
              StatusIs(kUsage, HasSubstr("is a record of train_sweep; name another output, or destroy that record with "
                                         "--force")));
  EXPECT_TRUE(*ReplaceIfForced(Force::kYes, ReplaceOwnResult(other))({record}));
}

TEST(ReplaceOwnResultTest, ADamagedHeaderIsNobodysResult) {
  const std::string path = WriteRun({{"--epochs=7"}});
  WriteFile(path, ReadFile(path).substr(0, 100));
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(CheckMayReplace(path, HeaderOf({{"--epochs=9"}})), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("cut off"));
}

TEST(ReplaceOwnResultTest, TheJournalOfAnotherRunIsKept) {
  const std::string path = TempPath("sweep.rec");
  auto writer = RecordWriter::Resume(path, HeaderOf({{"--epochs=7"}}));
  ASSERT_THAT(writer, IsOk());
  proto::SweepRecord record;
  record.mutable_point()->set_batch_size(32);
  ASSERT_THAT((*writer)->Append(record), IsOk());
  writer->reset();
  EXPECT_THAT(
      CheckMayReplace(path, HeaderOf({{"--epochs=9"}})),
      StatusIs(kUsage, HasSubstr("sweep.rec.part is from an unfinished run of another command (--epochs: 7 -> 9)")));
  EXPECT_THAT(CheckMayReplace(path, HeaderOf({{"--epochs=7"}})), IsOk());
}

// A command that failed at once, or was killed, may leave any of these files.
TEST(ReplaceOwnResultTest, AJournalWithoutFinishedWorkIsNobodys) {
  const std::string path = TempPath("at_once.rec"), part = path + ".part";
  proto::Header of_other_tool = HeaderOf({{"--epochs=9"}});
  of_other_tool.set_schema("lockstep.proto.ScaleFile");
  {
    auto writer = RecordWriter::Create(path, HeaderOf({{"--epochs=7"}}));
    ASSERT_THAT(writer, IsOk());
    const std::string header_only = ReadFile(part);
    for (const size_t size : {size_t{0}, header_only.size() / 2, header_only.size()}) {
      WriteFile(part, header_only.substr(0, size));
      EXPECT_THAT(CheckMayReplace(path, HeaderOf({{"--epochs=9"}})), IsOk()) << size;
      EXPECT_THAT(CheckMayReplace(path, of_other_tool), IsOk()) << size;
    }
    proto::SweepRecord record;
    record.mutable_point()->set_batch_size(32);
    ASSERT_THAT((*writer)->Append(record), IsOk());
  }
  EXPECT_THAT(CheckMayReplace(path, HeaderOf({{"--epochs=9"}})), StatusIs(kUsage, HasSubstr("--epochs: 7 -> 9")));
  EXPECT_THAT(CheckMayReplace(path, of_other_tool), StatusIs(kUsage, HasSubstr("train_sweep")));
}

TEST(ReplaceOwnResultTest, AnotherFileThatNoRecordVouchesForIsKept) {
  const std::string weights = TempPath("w.pt");
  WriteFile(weights, "weights");
  const proto::Header header = HeaderOf({{"--epochs=7"}});
  EXPECT_THAT(CheckMayReplace(TempPath("none"), header, {weights}), StatusIs(kUsage, HasSubstr("w.pt exists already")));
  EXPECT_THAT(CheckMayReplace(TempPath("none"), header, {"", TempPath("no.pt")}), IsOk());
  EXPECT_THAT(CheckMayReplace(WriteRun({{"--epochs=7"}}), header, {weights}), IsOk());
}

// A report leaves this state if it is killed between writing its pages and its record.
TEST(ReplaceOwnResultTest, AnotherFileIsTheCommandsOwnWhereItsPartIs) {
  const std::string page = TempPath("page.html");
  WriteFile(page, "a page");
  proto::Header header = HeaderOf({{"--epochs=7"}});
  header.clear_device();
  const std::string path = TempPath("killed.rec");
  auto writer = RecordWriter::Reserve(path, ReplaceOwnResult(header));
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT(CheckMayReplace(path, header, {page}), IsOk());  // state of a run killed before its first record
  ASSERT_THAT((*writer)->Begin(header), IsOk());
  ASSERT_THAT((*writer)->Seal(), IsOk());
  EXPECT_THAT(CheckMayReplace(path, header, {page}), IsOk());
  proto::Header other = HeaderOf({{"--epochs=9"}});
  other.clear_device();
  EXPECT_THAT(CheckMayReplace(path, other, {page}), StatusIs(kUsage, HasSubstr("page.html exists already")));
  EXPECT_THAT(CheckMayReplace(path, other), IsOk());  // the journal of an unmeasured run may be replaced
}

// Command B checks the output before A begins. Then A ends, and B opens the output.
TEST(ReplaceOwnResultTest, other_command_ends_between_the_look_and_the_lock) {
  const std::string path = TempPath("sweep.rec");
  const proto::Header a = HeaderOf({{"--epochs=7"}}), b = HeaderOf({{"--epochs=9"}});
  EXPECT_THAT(CheckMayReplace(path, b), IsOk());
  auto first = RecordWriter::Create(path, a);
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT((*first)->Finish(), IsOk());
  const std::string result = ReadFile(path);
  const auto refused = StatusIs(kUsage, HasSubstr("sweep.rec holds another result (--epochs: 7 -> 9)"));
  EXPECT_THAT(RecordWriter::Create(path, b), refused);
  EXPECT_THAT(RecordWriter::Reserve(path, ReplaceOwnResult(b)), refused);
  EXPECT_THAT(RecordWriter::Resume(path, b), refused);
  EXPECT_EQ(ReadFile(path), result);
  EXPECT_THAT(RecordWriter::Create(path, b, ReplaceAnything()), IsOk());
}

TEST(ReplaceOwnResultTest, ATextThatNamesASchemaIsNoDamagedRecord) {
  const std::string path = TempPath("sweep.txt");
  WriteFile(path, "record {\n  header {\n    schema: \"lockstep.proto.SweepFile\"\n");
  EXPECT_THAT(CheckMayReplace(path, HeaderOf({{"--epochs=5"}})), StatusIs(kUsage, HasSubstr("would replace")));
}

TEST(ReplaceRecordOfTest, ReplacesRecordsOfItsSchemaOnly) {
  const std::string path = WriteRun({{"--epochs=7"}});
  EXPECT_TRUE(*ReplaceRecordOf("lockstep.proto.SweepFile")({path}));
  EXPECT_THAT(ReplaceRecordOf("lockstep.proto.ScaleFile")({path}), StatusIs(kUsage, HasSubstr("found another file")));
  WriteFile(path, "precious");
  EXPECT_THAT(ReplaceRecordOf("lockstep.proto.SweepFile")({path}), StatusIs(kUsage, HasSubstr("found another file")));
}

}  // namespace
}  // namespace lockstep
