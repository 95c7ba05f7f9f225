// Parameters by which a kernel reports waits past the limit (wait_limit.h), and the device functions that check and
// report.
#ifndef LOCKSTEP_LIB_CUDA_WAIT_REPORT_H_
#define LOCKSTEP_LIB_CUDA_WAIT_REPORT_H_

#include <cstdint>

namespace lockstep {

struct WaitReport {
  uint32_t* expired = nullptr;  // host memory that the device can write; 0: no launch has waited too long
  uint32_t launch = 0;          // value to write there; must not be 0
};

#ifdef __CUDACC__

// Limit in turns of the upper half of the GPU's clock, which increases every 2^32 ns (4.3 s). A wait is thus given up
// after 8.6 to 12.9 s: longer than any step takes, even if the GPU is time-shared with other processes, or in
// compute-sanitizer.
constexpr uint32_t kMaxClockTurns = 2;

// Number of attempts before a wait first reads the clock, which is far from the multiprocessor.
constexpr uint32_t kTriesWithoutClock = 1024;

__device__ inline uint32_t ClockTurns() {
  uint32_t turns;
  asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(turns));
  return turns;
}

// Returns whether a wait that began at `begin` (ClockTurns) has reached its limit.
__device__ inline bool HasExpired(uint32_t begin) { return ClockTurns() - begin > kMaxClockTurns; }

__device__ inline void Report(const WaitReport& report) {
  volatile uint32_t* const expired = report.expired;
  if (expired != nullptr && *expired == 0) {
    *expired = report.launch;
    __threadfence_system();
  }
}

#endif  // __CUDACC__

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_WAIT_REPORT_H_
