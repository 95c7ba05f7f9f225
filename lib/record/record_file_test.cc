// Tests of writer, reader and format together: the reader reads exactly the records that the writer wrote.
#include <sys/stat.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/report.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/digest.h"
#include "lib/record/provenance.h"
#include "lib/record/record_format.h"
#include "lib/record/record_json.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/step_cache.h"
#include "lib/testing/failing_input.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::FailingInput;
using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

proto::Header SmallHeader() {
  proto::Header header;
  header.set_schema("lockstep.proto.SweepFile");
  header.set_schema_version(1);
  return header;
}

proto::SweepRecord PointRecord(uint32_t batch_size) {
  proto::SweepRecord record;
  record.mutable_point()->set_batch_size(batch_size);
  return record;
}

// Writes a file with the points 32 and 128, and returns its path.
std::string WriteSmall(const std::string& name) {
  const std::string path = TempPath(name);
  const std::vector<proto::SweepRecord> records = {PointRecord(32), PointRecord(128)};
  EXPECT_THAT(WriteRecordFile(path, SmallHeader(), records), IsOk());
  return path;
}

TEST(RecordFormatTest, CrcOfTheCheckString) { EXPECT_EQ(Crc32("123456789"), 0xCBF43926u); }

TEST(RecordFormatTest, FrameOfNineBytes) {
  EXPECT_EQ(FrameHead(9), "\x0A\x09");
  EXPECT_EQ(FrameTail("123456789"), "\x15\x26\x39\xF4\xCB");  // CRC of the check string, little-endian
}

TEST(RecordFormatTest, SizesOfMoreThanOneByte) {
  EXPECT_EQ(FrameHead(127), "\x0A\x7F");
  EXPECT_EQ(FrameHead(128), "\x0A\x80\x01");
  EXPECT_EQ(FrameHead(kMaxRecordBytes), "\x0A\x80\x80\x80\x80\x01");  // 1 << 28
}

TEST(RecordFileTest, WhatIsWrittenIsRead) {
  const auto file = ReadRecordFile<proto::SweepFile>(WriteSmall("a.rec"));
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->records, SizeIs(2));
  EXPECT_THAT(file->records[1], EqualsProto("point { batch_size: 128 }"));
  EXPECT_EQ(file->trailer.record_count(), 3u);
  EXPECT_EQ(file->input.sha256(), *Sha256HexOfFile(file->input.path()));
}

// Writes the JSON of the file with the points 32 and 128. The checksum is that of no record.
std::string WriteSmallJson(const std::string& name, const std::string& crc32 = "") {
  const std::string path = TempPath(name);
  WriteFile(path,
            absl::StrCat(R"({"record": [{"header": {"schema": "lockstep.proto.SweepFile", "schema_version": 1}}, )",
                         R"({"point": {"batch_size": 32}}, {"point": {"batch_size": 128}}, )",
                         R"({"trailer": {"record_count": "3"}}])", crc32, "}"));
  return path;
}

// The digest is that of the record file that the JSON stands for.
TEST(RecordFileTest, JsonIsReadWhateverItsName) {
  const std::string path = WriteSmallJson("json.rec");
  const auto file = ReadRecordFile<proto::SweepFile>(path);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->records, SizeIs(2));
  EXPECT_THAT(file->records[1], EqualsProto("point { batch_size: 128 }"));
  EXPECT_EQ(file->input.sha256(), Sha256Hex(ReadRecordJson(ReadFile(path), path)->bytes));
}

TEST(RecordFileTest, ChangedRecordsOfJsonAreCountedWithoutTheHeader) {
  const auto reader = RecordReader::OpenInput(WriteSmallJson("a.json", R"(, "crc32": [1, 2, 3, 4])"), "");
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ((*reader)->changed_records(), 3u);
}

TEST(RecordFileTest, AnOutputIsNeverJson) {
  EXPECT_THAT(RecordReader::Open(WriteSmallJson("a.json"), ""),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a Lockstep record file")));
}

TEST(RecordFileTest, BytesThatJsonLeavesOutMayBeRequired) {
  const std::string path = TempPath("pixels.json");
  WriteFile(path, R"({"record": [{"header": {"schema": "lockstep.proto.DatasetFile", "schema_version": 1}}, )"
                  R"({"chunk": {"pixels": "<9 bytes, SHA-256 00; --print_bytes shows them>"}}]})");
  EXPECT_THAT(RecordReader::OpenInput(path, proto::DatasetFile::descriptor()->full_name()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("1 fields of bytes"), HasSubstr("report --convert=RECORD --output=NAME.json"))));
  EXPECT_THAT(RecordReader::OpenInput(path, "", BytesOfJson::kMayBeLeftOut), IsOk());
}

TEST(RecordFileTest, TheWholeFileIsOneProtobufMessage) {
  proto::SweepFile whole;
  ASSERT_TRUE(whole.ParseFromString(ReadFile(WriteSmall("a.rec"))));
  EXPECT_EQ(whole.record_size(), 4);  // header, two points, trailer
  EXPECT_EQ(whole.crc32_size(), 4);
  EXPECT_EQ(whole.record(2).point().batch_size(), 128u);
}

TEST(RecordFileTest, ARecordLargerThanOneReadStep) {
  const std::string path = TempPath("big.rec");
  proto::SweepRecord big;
  big.mutable_point()->set_detail(std::string(3'000'001, 'x'));
  ASSERT_THAT(WriteRecordFile(path, SmallHeader(), std::vector<proto::SweepRecord>{big}), IsOk());
  EXPECT_EQ(ReadRecordFile<proto::SweepFile>(path)->records[0].point().detail().size(), 3'000'001u);
}

TEST(RecordFileTest, TruncationAtEveryByteIsFoundAndSalvaged) {
  const std::string bytes = ReadFile(WriteSmall("a.rec"));
  const std::string path = TempPath("cut.rec");
  size_t max_salvaged = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    WriteFile(path, bytes.substr(0, size));
    EXPECT_THAT(ReadRecordFile<proto::SweepFile>(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path))) << size;
    const auto salvaged = ReadRecordFile<proto::SweepFile>(path, ReadMode::kSalvage);
    if (salvaged.ok()) {
      EXPECT_THAT(salvaged->salvage_note, HasSubstr("whole records before it"));
      EXPECT_GE(salvaged->records.size(), max_salvaged);
      max_salvaged = salvaged->records.size();
    }
  }
  EXPECT_EQ(max_salvaged, 2u);
}

TEST(RecordFileTest, OneFlippedBitAtEveryByteIsFound) {
  const std::string bytes = ReadFile(WriteSmall("a.rec"));
  const std::string path = TempPath("flipped.rec");
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    WriteFile(path, flipped);
    EXPECT_THAT(ReadRecordFile<proto::SweepFile>(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path))) << i;
  }
}

TEST(RecordFileTest, BytesAfterTheTrailerAreFound) {
  const std::string path = WriteSmall("a.rec");
  WriteFile(path, ReadFile(path) + "x");
  EXPECT_THAT(ReadRecordFile<proto::SweepFile>(path),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("after the trailer")));
}

TEST(RecordFileTest, ARecordOfAnotherToolIsNamed) {
  EXPECT_THAT(ReadRecordFile<proto::ReportFile>(WriteSmall("a.rec")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is a record of train_sweep")));
}

TEST(RecordFileTest, AVersionOfTheFutureIsRefused) {
  const std::string path = TempPath("a.rec");
  proto::Header header = SmallHeader();
  header.set_schema_version(1000);
  ASSERT_THAT(WriteRecordFile(path, header, std::vector<proto::SweepRecord>{}), IsOk());
  EXPECT_THAT(ReadRecordFile<proto::SweepFile>(path),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("version 1000")));
}

TEST(RecordFileTest, AFileOfAnotherKindIsNoRecordFile) {
  const std::string path = TempPath("text");
  WriteFile(path, "hello\n");
  EXPECT_THAT(ReadRecordFile<proto::SweepFile>(path),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a Lockstep record file")));
}

TEST(RecordFileTest, WhatCannotBeReadToItsEndIsNoInput) {
  const FailingInput failing(ReadFile(WriteSmall("a.rec")));
  const auto reader = RecordReader::Open("-", "");
  ASSERT_THAT(reader, IsOk());
  EXPECT_THAT((*reader)->input(), StatusIs(absl::StatusCode::kDataLoss,
                                           AllOf(HasSubstr("-: record 1, byte "), HasSubstr("reading failed"))));
}

TEST(RecordFileTest, WhatCannotBeReadToItsEndIsSalvagedWithoutADigest) {
  const std::string bytes = ReadFile(WriteSmall("a.rec"));
  const FailingInput failing(bytes.substr(0, bytes.size() - 1));
  const auto file = ReadRecordFile<proto::SweepFile>("-", ReadMode::kSalvage);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(file->records, SizeIs(2));
  EXPECT_THAT(file->salvage_note, HasSubstr("reading failed"));
  EXPECT_THAT(file->input, EqualsProto("path: '-'"));
}

TEST(RecordFileTest, AMissingFileIsNotFound) {
  EXPECT_THAT(ReadRecordFile<proto::SweepFile>("/no/such.rec"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.rec")));
}

TEST(RecordWriterTest, TheFinalNameAppearsOnlyWhenFinished) {
  const std::string path = TempPath("a.rec");
  {
    auto writer = RecordWriter::Create(path, SmallHeader());
    ASSERT_THAT(writer, IsOk());
    ASSERT_THAT((*writer)->Append(PointRecord(32)), IsOk());
    EXPECT_FALSE(FileExists(path));
  }
  EXPECT_FALSE(FileExists(path));
  EXPECT_TRUE(FileExists(path + ".part"));  // journal of the complete records
  const auto journal = ReadRecordFile<proto::SweepFile>(path + ".part", ReadMode::kSalvage);
  EXPECT_THAT(journal->records, SizeIs(1));
}

TEST(RecordWriterTest, LeavesNothingWhenNothingWasWritten) {
  const std::string path = TempPath("a.rec");
  { ASSERT_THAT(RecordWriter::Create(path, SmallHeader()), IsOk()); }
  EXPECT_FALSE(FileExists(path + ".part"));
}

TEST(RecordWriterTest, WhatIsDiscardedIsGone) {
  const std::string path = TempPath("a.rec");
  auto writer = RecordWriter::Create(path, SmallHeader());
  ASSERT_THAT((*writer)->Append(PointRecord(32)), IsOk());
  (*writer)->Discard();
  EXPECT_FALSE(FileExists(path + ".part"));
  const auto given_up =
      StatusIs(absl::StatusCode::kFailedPrecondition, path + ": the writer was closed without a result");
  EXPECT_THAT((*writer)->Append(PointRecord(128)), given_up);
  EXPECT_THAT((*writer)->Finish(), given_up);
  EXPECT_FALSE(FileExists(path));
}

TEST(RecordWriterTest, WhatIsFinishedIsNotDiscardedNorIsTheNextWritersPart) {
  const std::string path = TempPath("a.rec");
  auto writer = RecordWriter::Create(path, SmallHeader());
  ASSERT_THAT((*writer)->Finish(), IsOk());
  const auto next = RecordWriter::Create(path, SmallHeader());
  ASSERT_THAT(next, IsOk());
  (*writer)->Discard();
  EXPECT_TRUE(FileExists(path));
  EXPECT_TRUE(FileExists(path + ".part"));
}

TEST(RecordWriterTest, TwoWritersOfOneOutputDoNotRace) {
  const std::string path = TempPath("a.rec");
  auto first = RecordWriter::Create(path, SmallHeader());
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(RecordWriter::Create(path, SmallHeader()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
}

TEST(RecordWriterTest, AMissingFolderIsNotFound) {
  EXPECT_THAT(RecordWriter::Create("/no/such/folder/a.rec", SmallHeader()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/no/such/folder")));
}

TEST(RecordWriterTest, AFolderIsNoFile) {
  EXPECT_THAT(RecordWriter::Create(::testing::TempDir(), SmallHeader()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
}

TEST(RecordWriterTest, APipeOrDeviceIsNotReplacedByAFile) {
  const std::string path = TempPath("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(RecordWriter::Create(path, SmallHeader()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a device or a pipe")));
}

HeaderOptions SweepOptions() {
  HeaderOptions options;
  options.schema = "lockstep.proto.SweepFile";
  options.seed = 7;
  options.result_flags = {{"model", "resnet18"}};
  return options;
}

TEST(ProvenanceTest, TheKeyFollowsWhatCanChangeTheResult) {
  const proto::Header base = MakeHeader(SweepOptions());
  EXPECT_EQ(MakeHeader(SweepOptions()).cache_key(), base.cache_key());

  HeaderOptions other_flag = SweepOptions();
  other_flag.result_flags["model"] = "lenet5";
  EXPECT_NE(MakeHeader(other_flag).cache_key(), base.cache_key());

  HeaderOptions other_input = SweepOptions();
  other_input.inputs.emplace_back().set_sha256("abc");
  EXPECT_NE(MakeHeader(other_input).cache_key(), base.cache_key());

  HeaderOptions other_library = SweepOptions();
  other_library.libraries.set_libtorch("2.11.0");
  EXPECT_NE(MakeHeader(other_library).cache_key(), base.cache_key());
}

TEST(ProvenanceTest, DescribesHostAndBuild) {
  const proto::Header header = MakeHeader(SweepOptions());
  EXPECT_EQ(header.build().tool(), "train_sweep");
  EXPECT_THAT(header.build().build_id(), SizeIs(64));
  EXPECT_GT(header.host().memory_bytes(), 1u << 20);
  EXPECT_GE(header.host().cpu_cores(), 1u);
  EXPECT_EQ(header.seed(), 7u);
}

TEST(ProvenanceTest, RecordsWhitelistedVariablesOnly) {
  setenv("NCCL_DEBUG", "WARN", 1);
  setenv("MY_SECRET", "hunter2", 1);
  const proto::Header header = MakeHeader(SweepOptions());
  EXPECT_EQ(header.environment().at("NCCL_DEBUG"), "WARN");
  EXPECT_EQ(header.environment().count("MY_SECRET"), 0u);
}

TEST(StepCacheTest, OnlyAnOutputWithTheSameKeyIsCached) {
  const std::string path = TempPath("a.rec");
  const proto::Header header = MakeHeader(SweepOptions());
  EXPECT_FALSE(IsCached(path, header));
  ASSERT_THAT(WriteRecordFile(path, header, std::vector<proto::SweepRecord>{}), IsOk());
  EXPECT_TRUE(IsCached(path, header));
  HeaderOptions changed = SweepOptions();
  changed.result_flags["model"] = "lenet5";
  EXPECT_FALSE(IsCached(path, MakeHeader(changed)));
  EXPECT_FALSE(IsCached("-", header));
}

}  // namespace
}  // namespace lockstep
