#include "lib/cifar/parallel_for.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::InChildProcess;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RefuseThreads;
using ::lockstep::testing::StatusIs;
using ::testing::Each;

ParallelOptions Threads(size_t threads, size_t block) {
  ParallelOptions options;
  options.threads = threads;
  options.block = block;
  return options;
}

TEST(ParallelForTest, EachItemIsWorkedOnOnce) {
  for (const size_t count : {0, 1, 7, 8, 9, 100}) {
    std::vector<int> calls(count, 0);
    ASSERT_THAT(ParallelFor(count, Threads(4, 8), [&](size_t, size_t i) { return ++calls[i], absl::OkStatus(); }),
                IsOk());
    EXPECT_THAT(calls, Each(1)) << count;
  }
}

TEST(ParallelForTest, WorkersAreNumberedBelowTheirCount) {
  const ParallelOptions options = Threads(3, 1);
  std::vector<int> calls(ParallelThreads(50, options), 0);
  ASSERT_EQ(calls.size(), 3u);
  ASSERT_THAT(ParallelFor(50, options, [&](size_t worker, size_t) { return ++calls.at(worker), absl::OkStatus(); }),
              IsOk());
  EXPECT_EQ(calls[0] + calls[1] + calls[2], 50);
}

TEST(ParallelForTest, NoMoreThreadsThanBlocks) {
  EXPECT_EQ(ParallelThreads(0, Threads(8, 16)), 1u);
  EXPECT_EQ(ParallelThreads(17, Threads(8, 16)), 2u);
}

TEST(ParallelForTest, TheFirstFailureInOrderIsReturnedWhateverTheThreads) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const absl::Status status = ParallelFor(1000, Threads(4, 8), [](size_t, size_t i) {
      return i == 500 || i == 503 || i == 520 || i == 999 ? absl::DataLossError(std::to_string(i)) : absl::OkStatus();
    });
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, "500"));
  }
}

// The result must be that of one thread.
TEST(ParallelForTest, WithoutAThreadToBeHadTheCallerDoesAll) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_EQ(InChildProcess([] {
              RefuseThreads();
              std::vector<int> calls(100, 0);
              size_t others = 0;
              const absl::Status status = ParallelFor(100, Threads(4, 8), [&](size_t worker, size_t i) {
                others += worker;
                return ++calls[i], absl::OkStatus();
              });
              return absl::StrCat(status.ToString(), ", ", std::count(calls.begin(), calls.end(), 1), " calls, ",
                                  others, " by others");
            }),
            "OK, 100 calls, 0 by others");
}

}  // namespace
}  // namespace lockstep
