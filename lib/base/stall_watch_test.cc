#include "lib/base/stall_watch.h"

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::InChildProcess;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RefuseThreads;
using ::testing::StartsWith;

constexpr absl::Duration kLimit = absl::Milliseconds(400);
// Time that a test waits at most, long enough for a busy machine.
constexpr std::chrono::seconds kTestTimeout(60);

TEST(StallWatchTest, ReportsWhatStalled) {
  std::promise<absl::Status> reported;
  const MonotonicTime begin = MonotonicTime::Now();
  StallWatch watch(kLimit, [&](const absl::Status& status) { reported.set_value(status); });
  ASSERT_THAT(watch.Start(), IsOk());
  watch.Enter("epoch 3");
  std::future<absl::Status> future = reported.get_future();
  ASSERT_EQ(future.wait_for(kTestTimeout), std::future_status::ready);
  EXPECT_GE(MonotonicTime::Now() - begin, kLimit);
  const absl::Status status = future.get();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message(), "epoch 3: no progress for 400ms");
}

// NoteProgress is called until three limits have passed, and not afterwards.
TEST(StallWatchTest, ProgressPutsItOff) {
  std::promise<MonotonicTime> reported;
  StallWatch watch(kLimit, [&](const absl::Status&) { reported.set_value(MonotonicTime::Now()); });
  ASSERT_THAT(watch.Start(), IsOk());
  const MonotonicTime begin = MonotonicTime::Now();
  while (MonotonicTime::Now() - begin < 3 * kLimit) {
    NoteProgress();
    std::this_thread::yield();
  }
  std::future<MonotonicTime> future = reported.get_future();
  ASSERT_EQ(future.wait_for(kTestTimeout), std::future_status::ready);
  EXPECT_GE(future.get() - begin, 3 * kLimit);
}

TEST(StallWatchTest, EndsAtOnceAndReportsNothing) {
  const MonotonicTime begin = MonotonicTime::Now();
  {
    StallWatch watch(absl::Hours(1), [](const absl::Status&) { FAIL(); });
    ASSERT_THAT(watch.Start(), IsOk());
  }
  EXPECT_LT(MonotonicTime::Now() - begin, absl::Seconds(30));
}

TEST(StallWatchTest, WithoutALimitNothingIsWatched) {
  StallWatch watch(absl::InfiniteDuration(), [](const absl::Status&) { FAIL(); });
  ASSERT_THAT(watch.Start(), IsOk());
  watch.Enter("anything");
  absl::SleepFor(kLimit);
}

TEST(StallWatchTest, NoThreadToBeHadIsAnError) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_THAT(InChildProcess([] {
                RefuseThreads();
                StallWatch watch(absl::Hours(1), [](const absl::Status&) {});
                return watch.Start().ToString();
              }),
              StartsWith("UNAVAILABLE: cannot start a thread"));
}

}  // namespace
}  // namespace lockstep
