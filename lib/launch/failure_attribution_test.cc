#include "lib/launch/failure_attribution.h"

#include <csignal>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(60);

ChildExit Ended(int code, std::string result) { return {0, false, code, false, false, std::move(result), false}; }
ChildExit Killed(int signal_number, bool by_us) { return {0, true, signal_number, false, by_us, "", false}; }

ChildExit SecondaryError() {
  return Ended(5, absl::StrCat(static_cast<int>(absl::StatusCode::kUnavailable), "\nlost a peer"));
}

TEST(FailureAttributionTest, NobodyWhenAllEndedWell) {
  EXPECT_THAT(AttributeFailure({Ended(0, "0\n"), Ended(0, "0\nx")}, kTimeout), IsOk());
}

TEST(FailureAttributionTest, TheKilledRankAndNotTheOneWithASecondaryError) {
  EXPECT_THAT(AttributeFailure({SecondaryError(), Killed(SIGKILL, false)}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 was killed")));
}

TEST(FailureAttributionTest, TheRankWithAnErrorOfItsOwn) {
  EXPECT_THAT(
      AttributeFailure(
          {SecondaryError(), Ended(3, absl::StrCat(static_cast<int>(absl::StatusCode::kDataLoss), "\nbad"))}, kTimeout),
      StatusIs(absl::StatusCode::kDataLoss, "rank 1 of 2: bad"));
}

TEST(FailureAttributionTest, TheUnresponsiveRankIfTheOthersHaveSecondaryErrors) {
  EXPECT_THAT(AttributeFailure({SecondaryError(), Killed(SIGKILL, true), SecondaryError()}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 3 did not answer the other ranks for 1m")));
}

// Expects neither a status with exit code 130 or 143, which would mean that the run was stopped, nor the errors of the
// other ranks.
TEST(FailureAttributionTest, TheRankThatAnotherProcessStopped) {
  const std::string stopped = absl::StrCat(static_cast<int>(absl::StatusCode::kCancelled), "\nstopped by SIGTERM");
  EXPECT_THAT(AttributeFailure({SecondaryError(), Ended(143, stopped)}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 was stopped by SIGTERM")));
  ChildExit terminated = Ended(143, stopped);
  terminated.ended_by_parent = true;
  EXPECT_THAT(AttributeFailure({terminated, SecondaryError()}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, "rank 1 of 2: lost a peer"));
  EXPECT_THAT(AttributeFailure({terminated, Ended(0, "0\n")}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 0")));
}

TEST(FailureAttributionTest, TheRankThatTheKernelKilledForMemory) {
  ChildExit killed = Killed(SIGKILL, false);
  killed.out_of_memory = true;
  EXPECT_THAT(AttributeFailure({SecondaryError(), killed}, kTimeout),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("rank 1 of 2 was killed by the kernel")));
}

TEST(FailureAttributionTest, TheRankThatEndedWithoutAResult) {
  EXPECT_THAT(AttributeFailure({SecondaryError(), Ended(0, "")}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 ended with exit code 0")));
}

TEST(FailureAttributionTest, ReportsARankThatDoesNotEnd) {
  ChildExit held = Ended(0, "0\n");
  held.unkillable = true;
  EXPECT_THAT(AttributeFailure({Ended(0, "0\n"), held}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 was killed but has not ended")));
  held.result = "";
  EXPECT_THAT(AttributeFailure({SecondaryError(), held}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("rank 1 of 2 did not answer"), HasSubstr("; rank 1 of 2 was killed but has"))));
}

TEST(FailureAttributionTest, ASecondaryErrorIfThereIsNoOther) {
  EXPECT_THAT(AttributeFailure({SecondaryError(), SecondaryError()}, kTimeout),
              StatusIs(absl::StatusCode::kUnavailable, "rank 0 of 2: lost a peer"));
}

TEST(FailureAttributionTest, ARankOfEachHostIfAllHaveSecondaryErrors) {
  const ChildExit lost = SecondaryError();
  EXPECT_THAT(AttributeFailure({lost, lost, lost, lost}, kTimeout, {"a", "a", "b", "b"}),
              StatusIs(absl::StatusCode::kUnavailable,
                       "hosts lost each other: rank 0 of 4 on a: lost a peer; rank 2 of 4 on b: lost a peer"));
  EXPECT_THAT(AttributeFailure({Ended(0, "0\n"), Ended(0, "0\n"), lost, lost}, kTimeout, {"a", "a", "b", "b"}),
              StatusIs(absl::StatusCode::kUnavailable, "rank 2 of 4 on b: lost a peer"));
}

TEST(FailureAttributionTest, NamesTheHostIfThereAreSeveral) {
  EXPECT_THAT(AttributeFailure({SecondaryError(), Killed(SIGKILL, false)}, kTimeout, {"a", "b"}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 on b was killed")));
}

TEST(FailureAttributionTest, AStopByOthersIsDistinguishedFromAKill) {
  EXPECT_TRUE(AnyStoppedByOthers({Ended(0, "0\n"), Killed(SIGTERM, false)}));
  EXPECT_FALSE(AnyStoppedByOthers({Ended(0, "0\n"), Killed(SIGTERM, true)}));
  EXPECT_FALSE(AnyStoppedByOthers({SecondaryError(), Killed(SIGKILL, false)}));
}

}  // namespace
}  // namespace lockstep
