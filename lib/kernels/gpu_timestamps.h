// Records the GPU's clock at a point of a stream. These timestamps show phase boundaries inside a captured step, which
// the host cannot observe.
//
// The clock is %globaltimer (PTX ISA, "Special Registers: %globaltimer"), which libcu++'s
// cuda::std::chrono::system_clock also reads: nanoseconds, the same on all multiprocessors, with a resolution that
// depends on the GPU. Rejected: events recorded in a graph (cudaEventRecordExternal). A replay overwrites the events of
// the previous replay, so the host would have to wait for each replay, or exchange its events, before the next.
#ifndef LOCKSTEP_LIB_KERNELS_GPU_TIMESTAMPS_H_
#define LOCKSTEP_LIB_KERNELS_GPU_TIMESTAMPS_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// Table of timestamps: (steps, per_step) nanoseconds, row by row.
struct TimestampTable {
  uint64_t* nanoseconds = nullptr;  // device memory
  uint32_t steps = 0;
  uint32_t per_step = 0;
};

// Writes the clock to row *step, column `index`, once everything queued earlier on `stream` is done; writes nothing if
// the row does not exist. `step` must be a device pointer (step_state.h counts it). Can be captured: a replayed graph
// writes to the row of its step. Returns the launch's error, or cudaErrorInvalidValue if the column does not exist.
cudaError_t RecordTimestamp(const uint32_t* step, uint32_t index, const TimestampTable& table, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_GPU_TIMESTAMPS_H_
