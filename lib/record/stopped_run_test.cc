#include "lib/record/stopped_run.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;

const absl::Status kStopped = absl::CancelledError("stopped by SIGINT");

TEST(WithWhatIsKeptTest, SaysWhetherTheSameCommandGoesOn) {
  const std::string output = TempPath("sweep.rec");
  EXPECT_THAT(WithWhatIsKept(kStopped, output),
              StatusIs(absl::StatusCode::kCancelled,
                       "stopped by SIGINT; nothing was complete yet, so the same command begins again"));
  WriteFile(output + ".part", "records");
  EXPECT_THAT(WithWhatIsKept(kStopped, output),
              StatusIs(absl::StatusCode::kCancelled,
                       "stopped by SIGINT; the same command, without --force, goes on from " + output + ".part"));
}

TEST(WithWhatIsKeptTest, LeavesOtherEndsAsTheyAre) {
  EXPECT_THAT(WithWhatIsKept(absl::OkStatus(), "x"), IsOk());
  EXPECT_THAT(WithWhatIsKept(absl::InternalError("ours"), "x"), StatusIs(absl::StatusCode::kInternal, "ours"));
  EXPECT_THAT(WithWhatIsKept(kStopped, "-"), StatusIs(absl::StatusCode::kCancelled, "stopped by SIGINT"));
}

}  // namespace
}  // namespace lockstep
