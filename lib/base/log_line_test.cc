#include "lib/base/log_line.h"

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

}  // namespace
}  // namespace lockstep
