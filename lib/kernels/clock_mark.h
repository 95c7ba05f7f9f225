// The GPU notes its own clock where a stream has come to: seams inside a captured step, which the host cannot see.
//
// The clock is %globaltimer (PTX ISA, "Special Registers: %globaltimer"), the one that libcu++'s
// cuda::std::chrono::system_clock reads: nanoseconds, the same on all multiprocessors, in steps that depend on the GPU.
// Events recorded in a graph (cudaEventRecordExternal) were the alternative: a replay writes over the events of the
// replay before, so that each would have to be waited for, or its events exchanged, before the next one.
#ifndef LOCKSTEP_LIB_KERNELS_CLOCK_MARK_H_
#define LOCKSTEP_LIB_KERNELS_CLOCK_MARK_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// A table of (steps, per_step) nanoseconds, row by row.
struct ClockMarks {
  uint64_t* nanoseconds = nullptr;  // of the device
  uint32_t steps = 0;
  uint32_t per_step = 0;
};

// Writes the clock to row *step, column `index`, as soon as all that is queued on `stream` before is done; nothing when
// there is no such row. `step` is of the device (step_state.h counts it). Can be captured: a replayed graph writes to the
// row of its step. Returns the launch's error, or cudaErrorInvalidValue when there is no such column.
cudaError_t MarkClock(const uint32_t* step, uint32_t index, const ClockMarks& marks, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLOCK_MARK_H_
