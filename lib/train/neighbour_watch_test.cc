#include "lib/train/neighbour_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/train/noise.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr char kStat[] =
    "cpu  300 30 60 1000 50 6 8 10 4 0\n"
    "cpu0 100 10 20 500 25 2 4 6 3 0\n"
    "cpu1 200 20 40 500 25 4 4 4 1 0\n"
    "intr 1 2 3\n";

TEST(NeighbourWatchTest, CountsWhatIsNotIdle) {
  EXPECT_EQ(BusySeconds(kStat, {0}, 100), 1.42);
  EXPECT_EQ(BusySeconds(kStat, {0, 1}, 100), 4.14);
  EXPECT_EQ(BusySeconds(kStat, {0, 2}, 100), std::nullopt);
  EXPECT_EQ(BusySeconds("", {0}, 100), std::nullopt);
  EXPECT_EQ(BusySeconds(kStat, {}, 100), std::nullopt);
}

void Spin(MonotonicTime until) {
  while (MonotonicTime::Now() < until) {
  }
}

// Runs one process per core that only computes; the destructor ends them.
class BusyNeighbours {
 public:
  explicit BusyNeighbours(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      const pid_t pid = fork();
      if (pid == 0) {
        Spin(MonotonicTime::InfiniteFuture());
      }
      pids_.push_back(pid);
    }
  }
  ~BusyNeighbours() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> pids_;
};

// Computes for a second with one thread per core, and returns what was watched.
proto::Neighbours WatchedWhileComputing() {
  NeighbourWatch watch;
  watch.Begin();
  const MonotonicTime until = MonotonicTime::Now() + absl::Seconds(1);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < watch.Summary(0u).cores(); ++i) {
    threads.emplace_back([until] { Spin(until); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  watch.End();
  return watch.Summary(absl::UnavailableError("device is a CPU"));
}

TEST(NeighbourWatchTest, BusyNeighboursShow) {
  const uint32_t cores = NeighbourWatch().Summary(0u).cores();
  ASSERT_GT(cores, 0u);
  const BusyNeighbours busy(cores);
  const proto::Neighbours seen = WatchedWhileComputing();
  EXPECT_EQ(seen.cpu_absent_reason(), "");
  EXPECT_EQ(seen.gpu_absent_reason(), "device is a CPU");
  EXPECT_GT(seen.own_cpu_seconds(), 0);
  EXPECT_GT(seen.others_cpu_seconds(), 0.2 * cores);  // a fair share would be half a second of each core
  EXPECT_GT(seen.load_average(), 0);
  EXPECT_THAT(NoiseWarnings(proto::Samples(), seen, proto::DeviceWatch()), Contains(HasSubstr("other processes used")));
}

TEST(NeighbourWatchTest, CountsBetweenBeginAndEndOnly) {
  NeighbourWatch watch;
  watch.End();
  Spin(MonotonicTime::Now() + absl::Milliseconds(300));
  EXPECT_EQ(watch.Summary(2u).watched_seconds(), 0);
  EXPECT_EQ(watch.Summary(2u).own_cpu_seconds(), 0);
  EXPECT_EQ(watch.Summary(2u).gpu_processes(), 2u);
  watch.Begin();
  watch.End();
  watch.Begin();
  watch.End();
  EXPECT_GT(watch.Summary(0u).watched_seconds(), 0);
  EXPECT_LT(watch.Summary(0u).own_cpu_seconds(), 0.2);
}

}  // namespace
}  // namespace lockstep
