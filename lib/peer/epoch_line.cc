#include "lib/peer/epoch_line.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

// Neither futex call uses FUTEX_PRIVATE_FLAG, because the word is shared between processes.
void WakeAll(std::atomic<uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

// Sleeps while the word is `seen`, at most for `left`. Spurious wake-ups are possible.
void SleepOn(std::atomic<uint32_t>& word, uint32_t seen, Clock::duration left) {
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  timespec timeout = {};
  timeout.tv_sec = nanoseconds / 1'000'000'000;
  timeout.tv_nsec = nanoseconds % 1'000'000'000;
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");  // waits for some tens of cycles, like pause; yield does not wait on most cores
#endif
}

}  // namespace

// No wake-up can be lost. The publisher stores `epoch`, then loads `sleepers`. The sleeper adds to `sleepers`, then
// loads `epoch`. All four operations are sequentially consistent, so one of the two sees the other's store: either the
// sleeper sees the epoch, or the publisher sees the sleeper and calls the kernel. If that call comes before the sleep,
// the kernel, which compares the word under its own lock, finds the new epoch and does not put the sleeper to sleep.
void PublishEpoch(EpochLine& line, uint32_t epoch) {
  line.processor.store(sched_getcpu(), std::memory_order_relaxed);
  line.epoch.store(epoch, std::memory_order_seq_cst);
  if (line.sleepers.load(std::memory_order_seq_cst) != 0) {
    WakeAll(line.epoch);
  }
}

// The acquire load that sees the epoch, or a later epoch of the same rank, makes all earlier writes of that rank
// visible.
bool AwaitEpoch(EpochLine& line, uint32_t wanted, int spins, Clock::time_point deadline) {
  for (int i = 0; i <= spins; ++i) {
    if (HasCome(line.epoch.load(std::memory_order_acquire), wanted)) {
      return true;
    }
    if (line.processor.load(std::memory_order_relaxed) == sched_getcpu()) {
      break;  // spinning would keep that rank from running
    }
    Pause();
  }
  line.sleepers.fetch_add(1, std::memory_order_seq_cst);
  bool come = false;
  for (;;) {
    const uint32_t seen = line.epoch.load(std::memory_order_seq_cst);
    come = HasCome(seen, wanted);
    const Clock::time_point now = Clock::now();
    if (come || now >= deadline) {
      break;
    }
    // Each sleep lasts at most a day, because the kernel would not accept the time until an infinite deadline.
    SleepOn(line.epoch, seen, std::min<Clock::duration>(deadline - now, std::chrono::hours(24)));
  }
  line.sleepers.fetch_sub(1, std::memory_order_relaxed);
  return come;
}

}  // namespace lockstep
