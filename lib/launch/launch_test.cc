#include "lib/launch/launch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/base/subprocess.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/launch/rank_process.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// --- Tasks of the ranks ---

absl::StatusOr<std::string> Introduce(RankContext& context) {
  return absl::StrCat(context.rank, "/", context.size, " on ", context.local_rank, ": ", context.payload);
}

absl::StatusOr<std::string> Gather(RankContext& context) {
  ASSIGN_OR_RETURN(const std::vector<std::string> all,
                   context.store->AllGather(context.rank, context.size, std::string(context.rank + 1, 'x')));
  return absl::StrCat(all[0], ".", all[1], ".", all[2]);
}

absl::StatusOr<std::string> FailInRankOne(RankContext& context) {
  if (context.rank == 1) {
    return absl::DataLossError("images.bin: cut off");
  }
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  return "";
}

absl::StatusOr<std::string> DieInRankOne(RankContext& context) {
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  if (context.rank == 1) {
    raise(SIGKILL);
  }
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  return "";
}

absl::StatusOr<std::string> HangInRankTwo(RankContext& context) {
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  if (context.rank == 2) {
    raise(SIGSTOP);
  }
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  return "";
}

// Rank 1 hangs after the last barrier, when no other rank waits for it.
absl::StatusOr<std::string> HangAtTheEndInRankOne(RankContext& context) {
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  if (context.rank == 1) {
    raise(SIGSTOP);
  }
  return "";
}

// Behaves like a process that ends while its driver waits for a stopped rank.
absl::StatusOr<std::string> ReportAndStayWhileRankOneHangs(RankContext& context) {
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  if (context.rank == 1) {
    raise(SIGSTOP);
  }
  RETURN_IF_ERROR(WriteResult(FrameResult(absl::DeadlineExceededError("nothing was done"))));
  absl::SleepFor(absl::Minutes(1));
  return "";
}

// Behaves like a communicator whose destructor waits for the other ranks.
absl::StatusOr<std::string> EndWithWhatWouldWait(RankContext& context) {
  const std::shared_ptr<void> holds(nullptr, [](void*) { absl::SleepFor(absl::Minutes(1)); });
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  EndRank(absl::UnavailableError("lost a peer"));
}

absl::StatusOr<std::string> RunOutOfMemoryInRankOne(RankContext& context) {
  if (context.rank == 1) {
    const rlimit limit{uint64_t{4} << 30, uint64_t{4} << 30};  // heap and private mappings
    setrlimit(RLIMIT_DATA, &limit);
    static std::vector<char> memory;  // static, because a compiler may leave out an allocation that nobody sees
    memory.resize(uint64_t{8} << 30);
  }
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
  return "";
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks =
      new std::map<std::string, RankTask>{{"introduce", Introduce},
                                          {"gather", Gather},
                                          {"fail_in_rank_one", FailInRankOne},
                                          {"die_in_rank_one", DieInRankOne},
                                          {"hang_in_rank_two", HangInRankTwo},
                                          {"hang_at_the_end_in_rank_one", HangAtTheEndInRankOne},
                                          {"report_and_stay_while_rank_one_hangs", ReportAndStayWhileRankOneHangs},
                                          {"end_with_what_would_wait", EndWithWhatWouldWait},
                                          {"run_out_of_memory_in_rank_one", RunOutOfMemoryInRankOne}};
  return *tasks;
}

LaunchOptions Options(int ranks, const std::string& task) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = task;
  options.timeout = absl::Seconds(20);
  return options;
}

// --- The tests ---

TEST(LaunchRanksTest, EachRankKnowsItsPlaceAndPayload) {
  LaunchOptions options = Options(2, "introduce");
  options.payload = std::string("a\0b", 3);
  const auto results = LaunchRanks(options);
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, ElementsAre(std::string("0/2 on 0: a\0b", 13), std::string("1/2 on 1: a\0b", 13)));
}

TEST(LaunchRanksTest, RanksGatherInTheStore) {
  const auto results = LaunchRanks(Options(3, "gather"));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, ElementsAre("x.xx.xxx", "x.xx.xxx", "x.xx.xxx"));
}

TEST(LaunchRanksTest, AnErrorOfARankComesBackWithItsCodeAndName) {
  EXPECT_THAT(LaunchRanks(Options(2, "fail_in_rank_one")),
              StatusIs(absl::StatusCode::kDataLoss, "rank 1 of 2: images.bin: cut off"));
}

TEST(LaunchRanksTest, ARankThatIsKilledEndsAllAtOnce) {
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(LaunchRanks(Options(2, "die_in_rank_one")),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 was killed by signal 9")));
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(15));  // long before the timeout of 20 s
}

TEST(LaunchRanksTest, ARankThatHangsIsNamedAfterTheTimeout) {
  LaunchOptions options = Options(3, "hang_in_rank_two");
  options.timeout = absl::Seconds(2);
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(LaunchRanks(options),
              StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("rank 2 of 3"), HasSubstr("did not answer"))));
  EXPECT_LT(MonotonicTime::Now() - start, options.timeout + absl::Seconds(15));
}

TEST(LaunchRanksTest, ARankThatHangsBehindTheLastBarrierIsNamedAfterTheTimeout) {
  LaunchOptions options = Options(2, "hang_at_the_end_in_rank_one");
  options.timeout = absl::Seconds(2);
  EXPECT_THAT(LaunchRanks(options),
              StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("rank 1 of 2"), HasSubstr("did not answer"))));
}

TEST(LaunchRanksTest, ARanksErrorCountsBeforeItsProcessEnds) {
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(LaunchRanks(Options(2, "report_and_stay_while_rank_one_hangs")),
              StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("rank 1 of 2"), HasSubstr("did not answer"))));
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(15));
}

TEST(LaunchRanksTest, ARankThatEndsItselfDestroysNothing) {
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(LaunchRanks(Options(2, "end_with_what_would_wait")),
              StatusIs(absl::StatusCode::kUnavailable, "rank 0 of 2: lost a peer"));
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(15));
}

TEST(LaunchRanksTest, MemoryThatRunsOutIsAnErrorOfTheDevice) {
  EXPECT_THAT(LaunchRanks(Options(2, "run_out_of_memory_in_rank_one")),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("rank 1 of 2")));
}

TEST(LaunchRanksTest, AnUnknownTaskIsOurBug) {
  EXPECT_THAT(LaunchRanks(Options(1, "dance")), StatusIs(absl::StatusCode::kInternal, HasSubstr("'dance'")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
