#include "lib/train/point_process.h"

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::testing::HasSubstr;

proto::SweepPoint RunScript(const std::string& script, uint64_t memory_limit_bytes = 0) {
  const auto file = RunPointProcess({"/bin/sh", "-c", script}, memory_limit_bytes, 32);
  EXPECT_THAT(file, IsOk());
  EXPECT_EQ(file->record_size(), 1);
  return file->record(0).point();
}

TEST(PointProcessTest, TakesTheResult) {
  // SweepFile.record (1) { point (4) { batch_size (1): 32, outcome (2): COMPLETED (1) } }, on descriptor 3.
  EXPECT_THAT(RunScript(R"(printf '\012\006\042\004\010\040\020\001' >&3)"), EqualsProto("batch_size: 32 outcome: COMPLETED"));
}

TEST(PointProcessTest, AKilledProcessIsAnOutcome) {
  const proto::SweepPoint point = RunScript("kill -9 $$");
  EXPECT_EQ(point.batch_size(), 32);
  EXPECT_EQ(point.outcome(), proto::KILLED);
  EXPECT_THAT(point.detail(), HasSubstr("signal 9 (Killed)"));
}

TEST(PointProcessTest, AResultFollowedByAKillDoesNotCount) {
  EXPECT_EQ(RunScript(R"(printf '\012\006\042\004\010\040\020\001' >&3; kill -11 $$)").outcome(), proto::KILLED);
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
