#include "lib/fused/micro_batch.h"

#include "absl/strings/str_cat.h"
#include "lib/cuda/cuda_status.h"
#include "lib/kernels/gpu_timestamps.h"
#include "lib/kernels/step_state.h"

namespace lockstep {
namespace {

// `step`: step count that is valid on `stream`.
absl::Status Record(const uint32_t* step, uint32_t index, const TimestampTable& table, cudaStream_t stream) {
  return table.steps == 0 ? absl::OkStatus()
                          : CudaStatus(RecordTimestamp(step, index, table, stream), "recording a timestamp");
}

}  // namespace

template <typename T>
absl::Status RecordTimestamp(const MicroBatch<T>& batch, StepTimestamp timestamp) {
  const StepState& state = *batch.buffers.state;  // device memory: only the addresses of its fields are taken
  const bool of_update = timestamp == StepTimestamp::kUpdated;
  return Record(of_update ? &state.update_step : &state.batch_step, static_cast<uint32_t>(timestamp),
                batch.timestamp_tables.phases, of_update ? batch.streams.tail() : batch.streams.main().handle);
}

template <typename T>
absl::Status RecordTimestamp(const MicroBatch<T>& batch, uint32_t range, RangeTimestamp timestamp,
                             cudaStream_t stream) {
  if (range >= kMaxRanges) {
    return absl::FailedPreconditionError(absl::StrCat("a step exchanges more than ", kMaxRanges, " ranges"));
  }
  return Record(&batch.buffers.state->update_step, range * kRangeTimestamps + static_cast<uint32_t>(timestamp),
                batch.timestamp_tables.ranges, stream);
}

template absl::Status RecordTimestamp(const MicroBatch<float>&, StepTimestamp);
template absl::Status RecordTimestamp(const MicroBatch<__nv_bfloat16>&, StepTimestamp);
template absl::Status RecordTimestamp(const MicroBatch<float>&, uint32_t, RangeTimestamp, cudaStream_t);
template absl::Status RecordTimestamp(const MicroBatch<__nv_bfloat16>&, uint32_t, RangeTimestamp, cudaStream_t);

}  // namespace lockstep
