// Device function for kernels that record the clock themselves (gpu_timestamps.h).
#ifndef LOCKSTEP_LIB_KERNELS_GPU_TIMESTAMPS_CUH_
#define LOCKSTEP_LIB_KERNELS_GPU_TIMESTAMPS_CUH_

#include <cstdint>

#include "lib/kernels/gpu_timestamps.h"

namespace lockstep {

// Writes the clock to row *step, column `index`. Must be called by one thread.
__device__ inline void WriteTimestamp(const uint32_t* step, uint32_t index, const TimestampTable& table) {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  const uint32_t row = *step;
  if (row < table.steps) {
    table.nanoseconds[static_cast<uint64_t>(row) * table.per_step + index] = now;
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_GPU_TIMESTAMPS_CUH_
