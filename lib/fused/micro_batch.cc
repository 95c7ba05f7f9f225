#include "lib/fused/micro_batch.h"

#include "absl/strings/str_cat.h"
#include "lib/kernels/clock_mark.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {
namespace {

template <typename T>
absl::Status Note(const MicroBatch<T>& batch, uint32_t index, const ClockMarks& table, cudaStream_t stream) {
  return table.steps == 0 ? absl::OkStatus()
                          : CudaStatus(MarkClock(batch.buffers.state, index, table, stream), "noting the clock");
}

}  // namespace

template <typename T>
absl::Status NoteClock(const MicroBatch<T>& batch, StepMark mark) {
  return Note(batch, static_cast<uint32_t>(mark), batch.marks.seams, batch.lanes.main().stream);
}

template <typename T>
absl::Status NoteClock(const MicroBatch<T>& batch, uint32_t range, RangeMark mark, cudaStream_t stream) {
  if (range >= kMaxRanges) {
    return absl::FailedPreconditionError(absl::StrCat("a step exchanges more than ", kMaxRanges, " ranges"));
  }
  return Note(batch, range * kRangeMarks + static_cast<uint32_t>(mark), batch.marks.ranges, stream);
}

template absl::Status NoteClock(const MicroBatch<float>&, StepMark);
template absl::Status NoteClock(const MicroBatch<__nv_bfloat16>&, StepMark);
template absl::Status NoteClock(const MicroBatch<float>&, uint32_t, RangeMark, cudaStream_t);
template absl::Status NoteClock(const MicroBatch<__nv_bfloat16>&, uint32_t, RangeMark, cudaStream_t);

}  // namespace lockstep
