#include "lib/device/compute_threads.h"

#include <ATen/Parallel.h>

#include <cstdlib>

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
using ::testing::HasSubstr;
using ::testing::StartsWith;

// OpenMP reads the limit when it is loaded. The BUILD file sets OMP_THREAD_LIMIT=3.
constexpr uint32_t kLimit = 3;

// Must be the first test, because a forked child lacks the threads that this process has started.
TEST(ComputeThreadsTest, rlimit_nproc_1) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_THAT(InChildProcess([] {
                RefuseThreads();
                return SetComputeThreads(2).ToString();
              }),
              StartsWith("UNAVAILABLE: --threads=2: cannot start a thread: Resource temporarily unavailable"));
  EXPECT_EQ(InChildProcess([] {
              RefuseThreads();
              return SetComputeThreads(1).ToString();
            }),
            "OK");
}

TEST(ComputeThreadsTest, TheLimitIsOpenMps) { EXPECT_EQ(ComputeThreadLimit(), kLimit); }

TEST(ComputeThreadsTest, MoreThanOpenMpGivesAreRefused) {
  EXPECT_THAT(CheckComputeThreads(kLimit), IsOk());
  EXPECT_THAT(CheckComputeThreads(kLimit + 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--threads=4: OMP_THREAD_LIMIT allows 3")));
  EXPECT_THAT(SetComputeThreads(kLimit + 1), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--threads=4")));
}

TEST(ComputeThreadsTest, TheDefaultIsNotAboveTheLimit) {
  at::set_num_threads(kLimit + 4);
  EXPECT_EQ(ComputeThreads(), kLimit);
  ASSERT_THAT(SetComputeThreads(0), IsOk());
  EXPECT_EQ(at::get_num_threads(), static_cast<int>(kLimit));
  ASSERT_THAT(SetComputeThreads(2), IsOk());
  EXPECT_EQ(ComputeThreads(), 2u);
}

}  // namespace
}  // namespace lockstep
