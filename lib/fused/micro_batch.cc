#include "lib/fused/micro_batch.h"

#include "lib/kernels/cuda_status.h"

namespace lockstep {

template <typename T>
absl::Status NoteClock(const MicroBatch<T>& batch, StepMark mark) {
  if (batch.marks.steps == 0) {
    return absl::OkStatus();
  }
  return CudaStatus(MarkClock(batch.buffers.state, static_cast<uint32_t>(mark), batch.marks, batch.lanes.main().stream),
                    "noting the clock");
}

template absl::Status NoteClock(const MicroBatch<float>&, StepMark);
template absl::Status NoteClock(const MicroBatch<__nv_bfloat16>&, StepMark);

}  // namespace lockstep
