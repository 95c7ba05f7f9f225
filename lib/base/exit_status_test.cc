#include "lib/base/exit_status.h"

#include <csignal>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

TEST(ExitStatusTest, OkIsZero) { EXPECT_EQ(ExitStatus("tool", absl::OkStatus()), 0); }

TEST(ExitStatusTest, EveryCodeHasItsDocumentedNumber) {
  EXPECT_EQ(ExitStatus("tool", absl::InternalError("x")), 1);
  EXPECT_EQ(ExitStatus("tool", absl::UnknownError("x")), 1);
  EXPECT_EQ(ExitStatus("tool", absl::InvalidArgumentError("x")), 2);
  EXPECT_EQ(ExitStatus("tool", absl::OutOfRangeError("x")), 2);
  EXPECT_EQ(ExitStatus("tool", absl::NotFoundError("x")), 3);
  EXPECT_EQ(ExitStatus("tool", absl::DataLossError("x")), 3);
  EXPECT_EQ(ExitStatus("tool", absl::FailedPreconditionError("x")), 3);
  EXPECT_EQ(ExitStatus("tool", absl::AbortedError("x")), 4);
  EXPECT_EQ(ExitStatus("tool", absl::UnavailableError("x")), 5);
  EXPECT_EQ(ExitStatus("tool", absl::DeadlineExceededError("x")), 5);
  EXPECT_EQ(ExitStatus("tool", absl::ResourceExhaustedError("x")), 5);
}

TEST(ExitStatusTest, EveryCodeHasAMeaning) {
  std::vector<int> codes;
  for (const ExitCodeMeaning& each : ExitCodeMeanings()) {
    codes.push_back(static_cast<int>(each.code));
    EXPECT_FALSE(each.name.empty() || each.meaning.empty()) << codes.back();
  }
  EXPECT_EQ(codes, std::vector<int>({0, 1, 2, 3, 4, 5, 129, 130, 143}));
}

TEST(ExitStatusTest, PrintsOneLineEvenForAMessageOfTwo) {
  ::testing::internal::CaptureStderr();
  ExitStatus("report", absl::NotFoundError("no file\nat all"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "report: error: no file; at all\n");
}

TEST(ExitStatusTest, NoControlCharacterOfAMessageReachesTheTerminal) {
  EXPECT_EQ(ErrorLine("report", absl::DataLossError("table '\x1B[2J\r\x7F', \xC3\xA9")),
            "report: error: table '\\x1b[2J\\x0d\\x7f', \xC3\xA9");
}

TEST(ExitStatusTest, ACancelledToolNamesTheSignalThatStoppedIt) {
  InstallStopSignals();
  EXPECT_EQ(ExitStatus("tool", absl::CancelledError("x")), 130);
  std::raise(SIGTERM);
  EXPECT_TRUE(StopRequested());
  EXPECT_EQ(ExitStatus("tool", absl::CancelledError("x")), 143);
}

}  // namespace
}  // namespace lockstep
