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

constexpr absl::StatusCode kCancelled = absl::StatusCode::kCancelled;
const absl::Status kStopped = absl::CancelledError("stopped by SIGINT");

FinishedWork Work(size_t finished, size_t planned) { return {"point", finished, planned, ""}; }

TEST(WithWhatIsKeptTest, CountsWhatTheUserCounts) {
  EXPECT_THAT(WithWhatIsKept(kStopped, "s.rec", Work(3, 9)),
              StatusIs(kCancelled,
                       "stopped by SIGINT; 3 of 9 points are finished, and the same command, without --force, resumes "
                       "from there (s.rec.part)"));
  EXPECT_THAT(WithWhatIsKept(kStopped, "s.rec", {"network", 1, 2, ""}),
              StatusIs(kCancelled,
                       "stopped by SIGINT; 1 of 2 networks is finished, and the same command, without --force, resumes "
                       "from there (s.rec.part)"));
  EXPECT_THAT(WithWhatIsKept(kStopped, "s.rec", Work(0, 1)),
              StatusIs(kCancelled, "stopped by SIGINT; no point of 1 is finished, so the same command starts again"));
}

TEST(WithWhatIsKeptTest, ReportsWhatIsKeptOfThePointUnderWay) {
  EXPECT_THAT(WithWhatIsKept(kStopped, "s.rec", {"point", 0, 2, "batch 128 after its last complete epoch"}),
              StatusIs(kCancelled,
                       "stopped by SIGINT; no point of 2 is finished, and the same command, without --force, resumes "
                       "from there (batch 128 after its last complete epoch)"));
  EXPECT_THAT(WithWhatIsKept(kStopped, "s.rec", {"point", 1, 2, "batch 128 after its last complete epoch"}),
              StatusIs(kCancelled, ::testing::HasSubstr("(s.rec.part, and batch 128 after its last complete epoch)")));
}

TEST(WithWhatIsKeptTest, BeforeTheJournalItSearchesOne) {
  const std::string output = TempPath("sweep.rec");
  EXPECT_THAT(WithWhatIsKept(kStopped, output, {}),
              StatusIs(kCancelled, "stopped by SIGINT; nothing was started yet, so the same command starts again"));
  WriteFile(output + ".part", "records");
  EXPECT_THAT(
      WithWhatIsKept(kStopped, output, {}),
      StatusIs(kCancelled, "stopped by SIGINT; the same command, without --force, resumes from " + output + ".part"));
}

TEST(WithWhatIsKeptTest, LeavesOtherEndsAsTheyAre) {
  EXPECT_THAT(WithWhatIsKept(absl::OkStatus(), "x", Work(1, 2)), IsOk());
  EXPECT_THAT(WithWhatIsKept(absl::InternalError("ours"), "x", Work(1, 2)),
              StatusIs(absl::StatusCode::kInternal, "ours"));
  EXPECT_THAT(WithWhatIsKept(kStopped, "-", Work(1, 2)), StatusIs(kCancelled, "stopped by SIGINT"));
}

}  // namespace
}  // namespace lockstep
