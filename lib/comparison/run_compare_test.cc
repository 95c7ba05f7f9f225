#include "lib/comparison/run_compare.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::lockstep::testing::WriteSmallLab;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kUsage = absl::StatusCode::kInvalidArgument;

// Returns options that compare the small lab's sweep with itself.
CompareOptions Options() {
  const std::string folder = TempPath("lab");
  mkdir(folder.c_str(), 0755);
  const std::string sweep = WriteSmallLab(folder)[1];
  CompareOptions options;
  options.files = {sweep, sweep};
  return options;
}

TEST(RunCompareTest, TwoFilesAreWanted) {
  CompareOptions options;
  options.files = {"a.rec"};
  EXPECT_THAT(RunCompare(options), StatusIs(kUsage, HasSubstr("expected two records")));
}

TEST(RunCompareTest, PrintsTextAndWritesPages) {
  CompareOptions options = Options();
  options.outputs = *ParseComparisonOutputs("html,json", TempPath("cmp.html"));
  options.slowdown_limit = 0.05;
  ::testing::internal::CaptureStdout();
  ASSERT_THAT(RunCompare(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr(absl::StrCat("before       ", options.files[0],
                                           " (same build, libraries, driver, environment and settings)\n")),
                    HasSubstr(absl::StrCat("after        ", options.files[1],
                                           " (same build, libraries, driver, environment and settings)\n")),
                    HasSubstr("inconclusive batch 32: 1.0000 times as long"),
                    HasSubstr("\ninconclusive: 2 of 2 points, from 1 run before and 1 ")));
  EXPECT_THAT(ReadFile(TempPath("cmp.html")), HasSubstr("inconclusive"));
  EXPECT_THAT(ReadFile(TempPath("cmp.json")), HasSubstr("\"runs_before\": 1"));
  EXPECT_THAT(RunCompare(options), IsOk());  // replaces its own pages
}

TEST(RunCompareTest, AnotherFileIsKeptUnlessForced) {
  CompareOptions options = Options();
  options.outputs = *ParseComparisonOutputs("", TempPath("mine.md"));
  WriteFile(TempPath("mine.md"), "mine");
  EXPECT_THAT(RunCompare(options), StatusIs(kUsage, HasSubstr("would replace")));
  EXPECT_EQ(ReadFile(TempPath("mine.md")), "mine");
  options.force = Force::kYes;
  EXPECT_THAT(RunCompare(options), IsOk());
}

TEST(RunCompareTest, APageOnStandardOutputIsAlone) {
  CompareOptions options = Options();
  options.outputs = *ParseComparisonOutputs("json", "-");
  options.slowdown_limit = 0.05;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunCompare(options), IsOk());
  EXPECT_EQ(::testing::internal::GetCapturedStdout().substr(0, 2), "{\n");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(StartsWith("report: warning: inconclusive: 2 of 2 points, "), EndsWith(" a slowdown by 5 %\n")));
}

}  // namespace
}  // namespace lockstep
