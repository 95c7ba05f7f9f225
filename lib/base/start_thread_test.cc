#include "lib/base/start_thread.h"

#include <sys/stat.h>

#include <atomic>
#include <future>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/emulation.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::InChildProcess;
using ::lockstep::testing::IsEmulated;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::LimitAddressSpace;
using ::lockstep::testing::RefuseThreads;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kError[] = "UNAVAILABLE: cannot start a thread: Resource temporarily unavailable; raise the limit";

size_t ThreadsOfThisProcess() {
  struct stat info;
  return stat("/proc/self/task", &info) == 0 ? info.st_nlink - 2 : 0;
}

TEST(StartThreadTest, ADetachedThreadRunsItsWork) {
  std::promise<int> done;
  ASSERT_THAT(StartDetachedThread([&] { done.set_value(7); }), IsOk());
  EXPECT_EQ(done.get_future().get(), 7);
}

TEST(StartThreadTest, AGroupIsJoinedByItsDestructor) {
  std::atomic<int> calls{0};
  {
    ThreadGroup group;
    for (int i = 0; i < 5; ++i) {
      ASSERT_THAT(group.Start([&] { ++calls; }), IsOk());
    }
  }
  EXPECT_EQ(calls, 5);
}

TEST(StartThreadTest, AGroupCanStartAgainAfterJoin) {
  std::atomic<int> calls{0};
  ThreadGroup group;
  EXPECT_TRUE(group.empty());
  ASSERT_THAT(group.Start([&] { ++calls; }), IsOk());
  EXPECT_FALSE(group.empty());
  group.Join();
  EXPECT_TRUE(group.empty());
  EXPECT_EQ(calls, 1);
  ASSERT_THAT(group.Start([&] { ++calls; }), IsOk());
  group.Join();
  EXPECT_EQ(calls, 2);
}

TEST(StartThreadTest, CheckLeavesNoThread) {
  const size_t before = ThreadsOfThisProcess();
  EXPECT_THAT(CheckThreadsCanStart(0), IsOk());
  EXPECT_THAT(CheckThreadsCanStart(20), IsOk());
  EXPECT_EQ(ThreadsOfThisProcess(), before);
}

TEST(StartThreadTest, clone3_EAGAIN) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_THAT(InChildProcess([] {
                RefuseThreads();
                return StartDetachedThread([] {}).ToString();
              }),
              StartsWith(kError));
  EXPECT_THAT(InChildProcess([] {
                RefuseThreads();
                ThreadGroup group;
                return group.Start([] {}).ToString();
              }),
              StartsWith(kError));
  EXPECT_THAT(InChildProcess([] {
                RefuseThreads();
                return CheckThreadsCanStart(1).ToString();
              }),
              StartsWith(kError));
}

// Some threads start, and a later one does not.
TEST(StartThreadTest, ThoseThatWereStartedAreJoined) {
  if (IsEmulated()) {
    GTEST_SKIP() << "QEMU does not limit the address space";
  }
  const std::string text = InChildProcess([] {
    LimitAddressSpace(size_t{100} << 20);
    const absl::Status status = CheckThreadsCanStart(1000);
    return absl::StrCat(status.ToString(), "; threads left: ", ThreadsOfThisProcess());
  });
  EXPECT_THAT(text, StartsWith(kError));
  EXPECT_THAT(text, HasSubstr("; threads left: 1"));
}

}  // namespace
}  // namespace lockstep
