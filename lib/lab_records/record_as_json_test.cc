// Records of every tool, printed as JSON and read again.
#include <sys/stat.h>

#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/print_record.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/record/record_json.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

std::vector<std::string> SmallLabFiles() {
  const std::string folder = TempPath("lab");
  mkdir(folder.c_str(), 0755);
  return lockstep::testing::WriteSmallLab(folder);
}

std::string Json(const std::string& path, bool print_bytes) {
  PrintOptions options;
  options.format = PrintFormat::kJson;
  options.print_bytes = print_bytes;
  std::string json;
  std::ostringstream log;
  const auto print = [&json](absl::string_view text) {
    absl::StrAppend(&json, text);
    return absl::OkStatus();
  };
  EXPECT_THAT(PrintRecord(path, options, print, log), IsOk());
  return json;
}

TEST(RecordAsJsonTest, EveryRecordHasItsBytesAgain) {
  for (const std::string& path : SmallLabFiles()) {
    const auto record = ReadRecordJson(Json(path, true), "x.json");
    ASSERT_THAT(record, IsOk());
    EXPECT_EQ(record->bytes, ReadFile(path)) << path;
    EXPECT_EQ(record->changed, 0u);
    EXPECT_EQ(RemarkOn(*record, "x.json"), "");
  }
}

TEST(RecordAsJsonTest, BytesThatWereNotPrintedAreCounted) {
  const std::string dataset = SmallLabFiles()[0];
  const std::string json = absl::StrReplaceAll(
      Json(dataset, true), {{"\"note\": \"", absl::StrCat("\"note\": \"<9 bytes, SHA-256 ", std::string(64, 'a'),
                                                          "; --print_bytes shows them>\", \"xnote\": \"")}});
  ASSERT_THAT(json, HasSubstr("xnote"));
  const auto record = ReadRecordJson(absl::StrReplaceAll(json, {{", \"xnote\": \"\"", ""}}), "x.json");
  ASSERT_THAT(record, IsOk());
  EXPECT_GT(record->left_out, 0u);
  EXPECT_THAT(RemarkOn(*record, "x.json"), HasSubstr("by their digest only"));
}

TEST(RecordAsJsonTest, AChangedNumberShowsInTheChecksum) {
  const std::string sweep = SmallLabFiles()[1];
  const std::string json = absl::StrReplaceAll(Json(sweep, true), {{"\"batch_size\": 32", "\"batch_size\": 33"}});
  const auto record = ReadRecordJson(json, "x.json");
  ASSERT_THAT(record, IsOk());
  EXPECT_GT(record->changed, 0u);
  EXPECT_THAT(RemarkOn(*record, "x.json"), HasSubstr("another checksum than the JSON names"));
}

TEST(RecordAsJsonTest, MinusZeroStays) {
  const std::string sweep = SmallLabFiles()[1];
  const std::string json = Json(sweep, true);
  const size_t at = json.find("\"learning_rate\": ");
  ASSERT_NE(at, std::string::npos);
  std::string zero = json;
  zero.replace(at, json.find('\n', at) - at, "\"learning_rate\": -0,");
  std::string point_zero = json;
  point_zero.replace(at, json.find('\n', at) - at, "\"learning_rate\": -0.0,");
  EXPECT_EQ(ReadRecordJson(zero, "x")->bytes, ReadRecordJson(point_zero, "x")->bytes);
}

TEST(RecordAsJsonTest, AnOldFieldNameIsRead) {
  const std::string json = Json(SmallLabFiles()[1], true);
  const size_t at = json.find("\"training\": {");
  ASSERT_NE(at, std::string::npos);
  const auto with_field = [&](const char* field) {
    std::string more = json;
    return more.insert(json.find('{', at) + 1, field);
  };
  const auto old = ReadRecordJson(with_field("\"lr_milestone\": [3],"), "x.json");
  ASSERT_THAT(old, IsOk());
  EXPECT_EQ(old->bytes, ReadRecordJson(with_field("\"lr_milestones\": [3],"), "x.json")->bytes);
  EXPECT_NE(old->bytes, ReadRecordJson(json, "x.json")->bytes);
}

TEST(RecordAsJsonTest, DeepNestingIsRefused) {
  std::string json = "{\"record\": ";
  for (int i = 0; i < 100000; ++i) {
    json += "[";
  }
  EXPECT_THAT(ReadRecordJson(json, "x.json"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("x.json")));
}

TEST(RecordAsJsonTest, CutOffAnywhereIsRefused) {
  const std::string json = Json(SmallLabFiles()[1], true);
  for (size_t size = 1; size + 3 < json.size(); size += 997) {
    EXPECT_THAT(ReadRecordJson(json.substr(0, size), "x.json"),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("x.json: the JSON of a record is cut off")))
        << size;
  }
}

TEST(RecordAsJsonTest, AReportReadsRecordsAndTheirJsonAlike) {
  std::vector<std::string> paths = SmallLabFiles();
  const auto records = ReadLabRecords(paths);
  for (std::string& path : paths) {
    const std::string json = Json(path, true);
    path += ".json";
    WriteFile(path, json);
  }
  const auto from_json = ReadLabRecords(paths);
  ASSERT_THAT(records, IsOk());
  ASSERT_THAT(from_json, IsOk());
  ASSERT_EQ(from_json->Sources().size(), records->Sources().size());
  for (size_t i = 0; i < records->Sources().size(); ++i) {
    EXPECT_EQ(from_json->Sources()[i]->header.SerializeAsString(), records->Sources()[i]->header.SerializeAsString());
    EXPECT_EQ(from_json->Sources()[i]->input.sha256(), records->Sources()[i]->input.sha256());
  }
}

TEST(RecordAsJsonTest, ARecordAndItsJsonAreTheSameRecordGivenTwice) {
  const std::string sweep = SmallLabFiles()[1];
  WriteFile(sweep + ".json", Json(sweep, true));
  EXPECT_THAT(ReadLabRecords({sweep, sweep + ".json"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("once")));
}

TEST(RecordAsJsonTest, NumbersOfAJsonAreCheckedToo) {
  const std::string sweep = SmallLabFiles()[1];
  std::string json = Json(sweep, true);
  const size_t at = json.find("\"batch_size\": 32");
  ASSERT_NE(at, std::string::npos);
  json.insert(at + 14, "-");
  WriteFile(sweep + ".json", json);
  EXPECT_THAT(ReadLabRecords({sweep + ".json"}), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("sweep.rec.json")));
}

}  // namespace
}  // namespace lockstep
