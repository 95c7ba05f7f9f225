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

// Neither call has FUTEX_PRIVATE_FLAG: the word is found by its page, in whichever process.
void WakeAll(std::atomic<uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

// Sleeps while the word is `seen`, for `left` at most; may wake for no reason.
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
  __asm__ volatile("isb");  // waits for some tens of cycles, as pause does; yield is no wait on most cores
#endif
}

}  // namespace

// A wake-up cannot be lost. Publisher: store epoch, then load sleepers. Sleeper: add to sleepers, then load epoch. All four
// are sequentially consistent, so one of the two sees the other's store: either the sleeper sees the epoch, or the
// publisher sees the sleeper and calls the kernel. If that call comes before the sleep, the kernel, which compares the
// word under its own lock, finds the new epoch and does not let it sleep.
void PublishEpoch(EpochLine& line, uint32_t epoch) {
  line.processor.store(sched_getcpu(), std::memory_order_relaxed);
  line.epoch.store(epoch, std::memory_order_seq_cst);
  if (line.sleepers.load(std::memory_order_seq_cst) != 0) {
    WakeAll(line.epoch);
  }
}

// The acquiring load that sees the epoch, or a later one of the same rank, makes all that the rank wrote before visible.
bool AwaitEpoch(EpochLine& line, uint32_t wanted, int spins, Clock::time_point deadline) {
  for (int i = 0; i <= spins; ++i) {
    if (HasCome(line.epoch.load(std::memory_order_acquire), wanted)) {
      return true;
    }
    if (line.processor.load(std::memory_order_relaxed) == sched_getcpu()) {
      break;  // to look would keep it from coming
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
    // At most a day a sleep: a deadline that never comes stays a time that the kernel takes.
    SleepOn(line.epoch, seen, std::min<Clock::duration>(deadline - now, std::chrono::hours(24)));
  }
  line.sleepers.fetch_sub(1, std::memory_order_relaxed);
  return come;
}

}  // namespace lockstep
