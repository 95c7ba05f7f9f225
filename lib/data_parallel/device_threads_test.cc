#include "lib/data_parallel/device_threads.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <atomic>
#include <cerrno>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

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

std::vector<c10::Device> Cpus(size_t count) { return std::vector<c10::Device>(count, c10::kCPU); }

// Must be the first test, because this process has no threads yet, which a forked child would lack.
TEST(DeviceThreadsTest, NoThreadToBeHadIsAnError) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_THAT(InChildProcess([] {
                RefuseThreads();
                DeviceThreads threads(Cpus(3));
                return threads.Run(3, [](size_t) { return absl::OkStatus(); }).ToString();
              }),
              StartsWith("UNAVAILABLE: cannot start a thread"));
}

// LibTorch throws this error if it cannot start a thread.
TEST(DeviceThreadsTest, ASystemErrorIsTheMachines) {
  DeviceThreads threads(Cpus(1));
  EXPECT_THAT(
      threads.Run(1,
                  [](size_t) -> absl::Status { throw std::system_error(EAGAIN, std::generic_category(), "thread"); }),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("ulimit -u")));
}

TEST(DeviceThreadsTest, EachDeviceHasAThreadThatStays) {
  DeviceThreads threads(Cpus(3));
  std::vector<std::thread::id> first(3), second(3);
  ASSERT_THAT(threads.Run(3,
                          [&](size_t i) {
                            first[i] = std::this_thread::get_id();
                            return absl::OkStatus();
                          }),
              IsOk());
  ASSERT_THAT(threads.Run(2,
                          [&](size_t i) {
                            second[i] = std::this_thread::get_id();
                            return absl::OkStatus();
                          }),
              IsOk());
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3u);
  EXPECT_EQ(first[0], second[0]);
  EXPECT_EQ(first[1], second[1]);
  EXPECT_EQ(second[2], std::thread::id());  // not called: two of three devices were requested
}

TEST(DeviceThreadsTest, AllWorkAtOnce) {
  DeviceThreads threads(Cpus(4));
  std::atomic<int> arrived = 0;
  EXPECT_THAT(threads.Run(4,
                          [&](size_t) {  // never ends if the tasks run one after another
                            for (++arrived; arrived < 4;) {
                              std::this_thread::yield();
                            }
                            return absl::OkStatus();
                          }),
              IsOk());
}

TEST(DeviceThreadsTest, AnErrorNamesTheDeviceAndTheThreadsContinue) {
  DeviceThreads threads(Cpus(3));
  std::atomic<int> done = 0;
  const auto fail = [&](size_t i) -> absl::Status {
    if (i == 1) {
      throw std::runtime_error("no more\nof this");
    }
    ++done;
    return absl::OkStatus();
  };
  EXPECT_THAT(threads.Run(3, fail), StatusIs(absl::StatusCode::kInternal, "device 1 of 3 (cpu): no more"));
  EXPECT_EQ(done, 2);
  EXPECT_THAT(threads.Run(3,
                          [](size_t i) -> absl::Status {
                            at::empty({int64_t{1} << (i == 2 ? 60 : 1)});
                            return absl::OkStatus();
                          }),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("device 2 of 3 (cpu): ")));
  EXPECT_THAT(threads.Run(3, [](size_t i) { return i == 0 ? absl::OkStatus() : absl::CancelledError("stop"); }),
              StatusIs(absl::StatusCode::kCancelled, "device 1 of 3 (cpu): stop"));
  EXPECT_THAT(threads.Run(3, [](size_t) { return absl::OkStatus(); }), IsOk());
}

TEST(DeviceThreadsTest, EachComputesWithTheThreadCountOfTheProcess) {
  for (const int expected : {1, 3}) {
    at::set_num_threads(expected);
    DeviceThreads threads(Cpus(2));
    EXPECT_THAT(threads.Run(2,
                            [&](size_t) {
                              return at::get_num_threads() == expected ? absl::OkStatus()
                                                                       : absl::InternalError("other");
                            }),
                IsOk());
  }
}

TEST(DeviceThreadsTest, EndsWithoutHavingWorked) { DeviceThreads threads(Cpus(2)); }

}  // namespace
}  // namespace lockstep
