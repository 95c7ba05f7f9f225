#include "lib/lab_records/convert_record.h"

#include <sys/stat.h>

#include <sstream>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
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

absl::Status Convert(const std::string& input, const std::string& output, bool force = false) {
  std::ostringstream log;
  return ConvertRecord({input, output, force}, log);
}

TEST(ConvertRecordTest, ToJsonAndBackIsTheSameFile) {
  for (const std::string& path : SmallLabFiles()) {
    ASSERT_THAT(Convert(path, path + ".json"), IsOk());
    ASSERT_THAT(Convert(path + ".json", path + ".again.rec"), IsOk());
    EXPECT_EQ(ReadFile(path + ".again.rec"), ReadFile(path));
    EXPECT_FALSE(FileExists(path + ".json.part"));
  }
}

TEST(ConvertRecordTest, AnOutputIsReplacedOnlyWhenAskedTo) {
  const std::string sweep = SmallLabFiles()[1];
  WriteFile(sweep + ".json", "mine");
  EXPECT_THAT(Convert(sweep, sweep + ".json"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--force")));
  EXPECT_EQ(ReadFile(sweep + ".json"), "mine");
  EXPECT_THAT(Convert(sweep, sweep + ".json", true), IsOk());
  EXPECT_THAT(Convert(sweep, sweep, true), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input")));
  EXPECT_THAT(Convert(sweep, sweep + ".html"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("NAME.json")));
}

TEST(ConvertRecordTest, BrokenInputLeavesNoOutput) {
  const std::string sweep = SmallLabFiles()[1];
  ASSERT_THAT(Convert(sweep, sweep + ".json"), IsOk());
  const std::string json = ReadFile(sweep + ".json");
  WriteFile(sweep + ".cut.json", json.substr(0, json.size() / 2));
  EXPECT_THAT(Convert(sweep + ".cut.json", sweep + ".new.rec"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut")));
  WriteFile(sweep + ".count.json", absl::StrReplaceAll(json, {{"\"record_count\": \"", "\"record_count\": \"9"}}));
  EXPECT_THAT(Convert(sweep + ".count.json", sweep + ".new.rec"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("the trailer counts")));
  WriteFile(sweep + ".range.json", absl::StrReplaceAll(json, {{"\"batch_size\": 32", "\"batch_size\": -32"}}));
  EXPECT_THAT(Convert(sweep + ".range.json", sweep + ".new.rec"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("")));
  EXPECT_FALSE(FileExists(sweep + ".new.rec"));
  EXPECT_FALSE(FileExists(sweep + ".new.rec.part"));
}

}  // namespace
}  // namespace lockstep
