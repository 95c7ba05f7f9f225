#include "lib/train/point_process.h"

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

proto::SweepPoint RunScript(const std::string& script, uint64_t memory_limit_bytes = 0) {
  const auto file = RunPointProcess({"/bin/sh", "-c", script}, memory_limit_bytes, 32);
  EXPECT_THAT(file, IsOk());
  EXPECT_EQ(file->record_size(), 1);
  return file->record(0).point();
}

TEST(PointProcessTest, TakesTheResult) {
  // SweepFile.record (1) { point (4) { batch_size (1): 32, outcome (2): COMPLETED (1) } }, on descriptor 3.
  EXPECT_THAT(RunScript(R"(printf '\012\006\042\004\010\040\020\001' >&3)"),
              EqualsProto("batch_size: 32 outcome: COMPLETED"));
}

absl::Status RunSignalled(const std::string& script) {
  return RunPointProcess({"/bin/sh", "-c", script}, 0, 32).status();
}

// Whoever sent the signal, the point's result is unknown and must not be recorded.
TEST(PointProcessTest, AProcessEndedByASignalIsNoOutcome) {
  EXPECT_THAT(RunSignalled("kill -9 $$"), StatusIs(absl::StatusCode::kUnavailable,
                                                   HasSubstr("batch 32: its process was ended by signal 9 (Killed)")));
  EXPECT_THAT(RunSignalled("kill -11 $$"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 11 (Segm")));
  EXPECT_THAT(RunSignalled("kill -6 $$"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 6 (Aborted)")));
}

// A point's process reports these signals by an exit status (lib/base/exit_status.h).
TEST(PointProcessTest, AProcessStoppedByOthersHasNoOutcome) {
  EXPECT_THAT(RunSignalled("exit 143"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 15 (Terminated)")));
  EXPECT_THAT(RunSignalled("exit 129"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 1 (Hangup)")));
  EXPECT_THAT(RunSignalled("exit 130"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 2 (Interrupt)")));
}

TEST(PointProcessTest, AResultFollowedByAKillDoesNotCount) {
  EXPECT_THAT(RunSignalled(R"(printf '\012\006\042\004\010\040\020\001' >&3; kill -11 $$)"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 11")));
}

TEST(PointProcessTest, TooLittleMemoryToBeginWithIsTheMachines) {
  EXPECT_EQ(RunScript("exit 127", 1 << 30).exit_status(), 5);
  EXPECT_THAT(RunScript("exit 127", 1 << 30).detail(), HasSubstr("a memory limit of 1073741824 bytes"));
}

TEST(PointProcessTest, AnExitWithoutAResultIsAnOutcome) {
  EXPECT_THAT(RunScript("exit 7").detail(), HasSubstr("status 7"));
  EXPECT_EQ(RunScript("exit 7").exit_status(), 7);
  EXPECT_EQ(RunScript("exit 0").outcome(), proto::FAILED);
  EXPECT_EQ(RunScript("printf nonsense >&3").outcome(), proto::FAILED);
}

TEST(PointProcessTest, ThePrintedTextIsNotTheResult) { EXPECT_EQ(RunScript("echo hello").outcome(), proto::FAILED); }

}  // namespace
}  // namespace lockstep
