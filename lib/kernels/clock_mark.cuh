// Device function for kernels that record the clock themselves (clock_mark.h).
#ifndef LOCKSTEP_LIB_KERNELS_CLOCK_MARK_CUH_
#define LOCKSTEP_LIB_KERNELS_CLOCK_MARK_CUH_

#include <cstdint>

#include "lib/kernels/clock_mark.h"

namespace lockstep {

// Writes the clock to row *step, column `index`. Must be called by one thread.
__device__ inline void NoteClockNow(const uint32_t* step, uint32_t index, const ClockMarks& marks) {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  const uint32_t row = *step;
  if (row < marks.steps) {
    marks.nanoseconds[static_cast<uint64_t>(row) * marks.per_step + index] = now;
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLOCK_MARK_CUH_
