#include "lib/lab_records/print_record.h"

#include <cstdlib>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/digest.h"
#include "lib/record/record_writer.h"
#include "lib/record/schema.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::google::protobuf::TextFormat;
using ::google::protobuf::util::MessageDifferencer;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::Not;

proto::Header HeaderOf(absl::string_view schema) {
  proto::Header header;
  header.set_schema(std::string(schema));
  header.set_schema_version(FindSchema(schema)->version);
  (*header.mutable_environment())["NCCL_DEBUG"] = "WARN";
  (*header.mutable_environment())["CUDA_VISIBLE_DEVICES"] = "0";
  return header;
}

std::string WriteSweep() {
  const std::string path = TempPath("sweep.rec");
  std::vector<proto::SweepRecord> records(2);
  records[0].mutable_point()->set_batch_size(32);
  records[0].mutable_point()->mutable_epoch_seconds()->add_value(0.1);
  records[1].mutable_point()->set_batch_size(128);
  records[1].mutable_point()->set_detail("needs \"more\"\n\xC3\xA9");
  EXPECT_THAT(WriteRecordFile(path, HeaderOf("lockstep.proto.SweepFile"), records), IsOk());
  return path;
}

// Writes three images of 65 pixels. Labels of three bytes are short fields.
std::string WriteDataset(const std::string& pixels) {
  const std::string path = TempPath("dataset.rec");
  std::vector<proto::DatasetRecord> records(1);
  records[0].mutable_chunk()->set_pixels(pixels);
  records[0].mutable_chunk()->set_labels(std::string("\x01\x02\x03", 3));
  EXPECT_THAT(WriteRecordFile(path, HeaderOf("lockstep.proto.DatasetFile"), records), IsOk());
  return path;
}

struct Printed {
  absl::Status status;
  std::string out;
  std::string log;
};

Printed Print(const std::string& path, PrintFormat format = PrintFormat::kText, bool print_bytes = false) {
  std::string out;
  std::ostringstream log;
  const auto print = [&out](absl::string_view text) {
    absl::StrAppend(&out, text);
    return absl::OkStatus();
  };
  const absl::Status status = PrintRecord(path, {format, print_bytes}, print, log);
  return {status, out, log.str()};
}

template <typename File>
File ParsedFile(const std::string& path) {
  File file;
  EXPECT_TRUE(file.ParseFromString(ReadFile(path)));
  return file;
}

TEST(PrintRecordTest, TextParsesBackToTheSameFile) {
  const std::string path = WriteSweep();
  const Printed printed = Print(path);
  ASSERT_THAT(printed.status, IsOk());
  proto::SweepFile parsed;
  ASSERT_TRUE(TextFormat::ParseFromString(printed.out, &parsed)) << printed.out;
  EXPECT_TRUE(MessageDifferencer::Equals(parsed, ParsedFile<proto::SweepFile>(path)));
  EXPECT_EQ(parsed.crc32_size(), 4);
  EXPECT_EQ(printed.log, "");
}

// The format guarantees the same text as a stock protoc.
TEST(PrintRecordTest, TextIsThatOfTextFormatOverTheWholeFile) {
  const std::string path = WriteDataset(std::string(195, '\x7f'));
  std::string whole;
  TextFormat::PrintToString(ParsedFile<proto::DatasetFile>(path), &whole);
  EXPECT_EQ(Print(path, PrintFormat::kText, /*print_bytes=*/true).out, whole);
}

TEST(PrintRecordTest, JsonParsesBackToTheSameFile) {
  const std::string path = WriteSweep();
  const Printed printed = Print(path, PrintFormat::kJson);
  ASSERT_THAT(printed.status, IsOk());
  EXPECT_THAT(printed.out, HasSubstr("\"batch_size\": 32"));
  EXPECT_THAT(printed.out, HasSubstr("\"peak_memory_bytes\": \"0\""));  // fields of value 0 are shown
  proto::SweepFile parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(printed.out, &parsed).ok()) << printed.out;
  // always_print_primitive_fields sets nothing that is not 0, so the messages are equal.
  EXPECT_TRUE(MessageDifferencer::Equals(parsed, ParsedFile<proto::SweepFile>(path)));
}

TEST(PrintRecordTest, LongBytesAreShownByTheirDigest) {
  const std::string pixels(195, '\x7f');
  const Printed printed = Print(WriteDataset(pixels));
  ASSERT_THAT(printed.status, IsOk());
  EXPECT_THAT(printed.out, HasSubstr(absl::StrCat("<195 bytes, SHA-256 ", Sha256Hex(pixels))));
  EXPECT_THAT(printed.out, HasSubstr("labels: \"\\001\\002\\003\""));
  EXPECT_THAT(printed.log, HasSubstr("1 bytes fields above 64 bytes"));
}

TEST(PrintRecordTest, SixtyFourBytesAreNotLong) {
  EXPECT_THAT(Print(WriteDataset(std::string(64, 'a'))).out, HasSubstr(std::string(64, 'a')));
  EXPECT_THAT(Print(WriteDataset(std::string(65, 'a'))).out, Not(HasSubstr(std::string(64, 'a'))));
}

TEST(PrintRecordTest, LongBytesInJsonAreNoBase64) {
  const Printed printed = Print(WriteDataset(std::string(195, '\x7f')), PrintFormat::kJson);
  EXPECT_THAT(printed.out, HasSubstr("\"pixels\": \"<195 bytes, SHA-256 "));
  proto::DatasetFile parsed;
  EXPECT_FALSE(google::protobuf::util::JsonStringToMessage(printed.out, &parsed).ok());
}

TEST(PrintRecordTest, ACutOffFileIsPrintedUpToTheCut) {
  const std::string bytes = ReadFile(WriteSweep());
  const std::string path = TempPath("cut.rec");
  WriteFile(path, bytes.substr(0, bytes.size() - 20));
  const Printed text = Print(path);
  EXPECT_THAT(text.status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("3 whole records before it")));
  proto::SweepFile parsed;
  ASSERT_TRUE(TextFormat::ParseFromString(text.out, &parsed));
  EXPECT_EQ(parsed.record_size(), 3);
  EXPECT_EQ(parsed.record(2).point().batch_size(), 128u);

  const Printed json = Print(path, PrintFormat::kJson);
  EXPECT_THAT(json.status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off")));
  proto::SweepFile parsed_json;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json.out, &parsed_json).ok()) << json.out;
  EXPECT_EQ(parsed_json.record_size(), 3);
}

TEST(PrintRecordTest, EverySchemaIsPrinted) {
  for (const Schema& schema : kSchemas) {
    const std::string path = TempPath(std::string(schema.name));
    ASSERT_THAT(WriteRecordFile(path, HeaderOf(schema.name), std::vector<proto::AnyRecord>{}), IsOk());
    const Printed printed = Print(path);
    EXPECT_THAT(printed.status, IsOk()) << schema.name;
    EXPECT_THAT(printed.out, HasSubstr(std::string(schema.name)));
  }
}

TEST(PrintRecordTest, AFileThatIsNoRecordIsRefused) {
  const std::string path = TempPath("text");
  WriteFile(path, "hello\n");
  EXPECT_THAT(Print(path).status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a Lockstep record file")));
  EXPECT_THAT(Print("/no/such.rec").status, StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.rec")));
}

}  // namespace
}  // namespace lockstep
