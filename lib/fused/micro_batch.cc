#include "lib/fused/micro_batch.h"

#include "absl/strings/str_cat.h"
#include "lib/kernels/clock_mark.h"
#include "lib/kernels/cuda_status.h"
#include "lib/kernels/step_state.h"

namespace lockstep {
namespace {

// `step`: step count that is valid on `stream`.
absl::Status Note(const uint32_t* step, uint32_t index, const ClockMarks& table, cudaStream_t stream) {
  return table.steps == 0 ? absl::OkStatus() : CudaStatus(MarkClock(step, index, table, stream), "noting the clock");
}

}  // namespace

template <typename T>
absl::Status NoteClock(const MicroBatch<T>& batch, StepMark mark) {
  const StepState& state = *batch.buffers.state;  // device memory: only the addresses of its fields are taken
  const bool of_update = mark == StepMark::kUpdated;
  return Note(of_update ? &state.update_step : &state.batch_step, static_cast<uint32_t>(mark), batch.marks.seams,
              of_update ? batch.streams.tail() : batch.streams.main().handle);
}

template <typename T>
absl::Status NoteClock(const MicroBatch<T>& batch, uint32_t range, RangeMark mark, cudaStream_t stream) {
  if (range >= kMaxRanges) {
    return absl::FailedPreconditionError(absl::StrCat("a step exchanges more than ", kMaxRanges, " ranges"));
  }
  return Note(&batch.buffers.state->update_step, range * kRangeMarks + static_cast<uint32_t>(mark), batch.marks.ranges,
              stream);
}

template absl::Status NoteClock(const MicroBatch<float>&, StepMark);
template absl::Status NoteClock(const MicroBatch<__nv_bfloat16>&, StepMark);
template absl::Status NoteClock(const MicroBatch<float>&, uint32_t, RangeMark, cudaStream_t);
template absl::Status NoteClock(const MicroBatch<__nv_bfloat16>&, uint32_t, RangeMark, cudaStream_t);

}  // namespace lockstep
