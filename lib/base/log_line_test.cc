#include "lib/base/log_line.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

TEST(LogLineTest, OneLineWithoutControlCharacters) {
  CaptureStderr();
  LogLine("report: wrote \x1B[2J\xC2\x9B\nreport: error: forged");
  EXPECT_EQ(GetCapturedStderr(), "report: wrote \\x1b[2J\\u009b; report: error: forged\n");
}

TEST(LogLineTest, TextKeepsItsLines) {
  CaptureStderr();
  LogText("train: 80\n  classes a\x1B[2J\n");
  EXPECT_EQ(GetCapturedStderr(), "train: 80\n  classes a\\x1b[2J\n");
}

// Death test, because SetQuiet() cannot be undone.
TEST(LogLineDeathTest, QuietKeepsWarningsOnly) {
  const auto quiet = [] {
    SetQuiet();
    LogLine("report: wrote report.html");
    LogText("train: 80\n");
    LogWarning("report: warning: no\x1B plot");
    std::exit(IsQuiet() && std::getenv("LOCKSTEP_QUIET") != nullptr ? 0 : 1);
  };
  EXPECT_EXIT(quiet(), ::testing::ExitedWithCode(0), "^report: warning: no.x1b plot\n$");
  EXPECT_FALSE(IsQuiet());
}

}  // namespace
}  // namespace lockstep
