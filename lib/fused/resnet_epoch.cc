#include "lib/fused/resnet_epoch.h"

#include <algorithm>
#include <utility>

#include "lib/base/stall_watch.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_buffer.h"
#include "lib/fused/step_timestamps.h"
#include "lib/kernels/gpu_timestamps.h"

namespace lockstep {
namespace {

// Steps between two checks for a stop signal. A check waits for the steps before the previous check. Hence execution
// keeps up with queueing, and the GPU still has this many steps to do.
constexpr uint32_t kStepsBetweenStopChecks = 64;

// Steps of a graph of several steps. Must divide kStepsBetweenStopChecks.
constexpr uint32_t kStepsOfGraph = 16;

}  // namespace

ResNetEpochs::~ResNetEpochs() {
  for (const cudaEvent_t event : {begin_, end_, stop_check_events_[0], stop_check_events_[1]}) {
    if (event != nullptr) {
      cudaEventDestroy(event);
    }
  }
}

absl::Status ResNetEpochs::Prepare(uint32_t images, DropLast drop_last) {
  drop_last_ = drop_last;
  for (cudaEvent_t* event : {&begin_, &end_, &stop_check_events_[0], &stop_check_events_[1]}) {
    if (*event == nullptr) {
      RETURN_IF_ERROR(CudaStatus(cudaEventCreate(event), "making a CUDA event"));
    }
  }
  const uint32_t tail = drop_last == DropLast::kYes ? 0 : images % batch_;
  for (const uint32_t batch : {images < batch_ ? 0 : batch_, tail}) {
    if (batch != 0) {
      RETURN_IF_ERROR(step_.Prepare(batch));
    }
  }
  return absl::OkStatus();
}

uint32_t ResNetEpochs::StepsOf(size_t images) const {
  const auto count = static_cast<uint32_t>(images);
  return drop_last_ == DropLast::kYes ? count / batch_ : (count + batch_ - 1) / batch_;
}

absl::Status ResNetEpochs::Capture(uint32_t batch, uint32_t steps) {
  const auto enqueue = [this, batch, steps] { return step_.Enqueue(batch, steps); };
  ASSIGN_OR_RETURN((graphs_[{batch, steps}]), CaptureGraph(step_.stream(), enqueue));
  return absl::OkStatus();
}

absl::Status ResNetEpochs::RunSteps(uint32_t batch, uint32_t steps) {
  if (!use_graphs_) {
    return step_.Enqueue(batch, steps);
  }
  if (graphs_[{batch, steps}] == nullptr) {
    RETURN_IF_ERROR(Capture(batch, steps));
  }
  return CudaStatus(cudaGraphLaunch(graphs_[{batch, steps}].get(), step_.stream()), "replaying a step");
}

absl::Status ResNetEpochs::CheckStop(uint32_t number) {
  RETURN_IF_ERROR(
      CudaStatus(cudaEventRecord(stop_check_events_[number % 2], step_.stream()), "recording a CUDA event"));
  if (number > 1) {
    RETURN_IF_ERROR(CudaStatus(cudaEventSynchronize(stop_check_events_[(number - 1) % 2]), "training on the GPU"));
  }
  NoteProgress();
  return CheckNotStopped();
}

absl::StatusOr<FusedEpoch> ResNetEpochs::Train(const std::vector<uint32_t>& order, uint32_t epoch,
                                               const std::function<float(uint32_t)>& rate,
                                               const std::function<void(uint64_t)>& done) {
  const auto count = static_cast<uint32_t>(order.size());
  FusedEpoch result;
  result.steps = StepsOf(count);
  std::vector<float> rates(result.steps);
  for (uint32_t s = 0; s < result.steps; ++s) {
    rates[s] = rate(s);
  }
  const Stopwatch clock;
  RETURN_IF_ERROR(step_.BeginEpoch(order, epoch, rates));
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(begin_, step_.stream()), "recording a CUDA event"));
  for (uint32_t s = 0; s < result.steps;) {
    const uint32_t left = count - static_cast<uint32_t>(result.images);
    const uint32_t batch = std::min(batch_, left);
    const uint32_t steps = left / kStepsOfGraph >= batch ? kStepsOfGraph : 1;
    RETURN_IF_ERROR(RunSteps(batch, steps));
    result.images += uint64_t{batch} * steps;
    s += steps;
    if (s % kStepsBetweenStopChecks == 0) {
      RETURN_IF_ERROR(CheckStop(s / kStepsBetweenStopChecks));
      if (done) {
        done(result.images);
      }
    }
  }
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(end_, step_.stream()), "recording a CUDA event"));
  ASSIGN_OR_RETURN(const ResNetCounts counts, step_.EndEpoch());
  result.seconds = clock.Seconds();
  float milliseconds = 0;
  RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading the CUDA events"));
  result.device_seconds = milliseconds / 1e3;
  result.mean_loss = counts.loss_sum / static_cast<double>(result.images);
  result.accuracy = counts.correct / static_cast<double>(result.images);
  trained_ = true;
  return result;
}

absl::StatusOr<FusedEpoch> ResNetEpochs::TrainInstrumented(const std::vector<uint32_t>& order, uint32_t epoch,
                                                           const std::function<float(uint32_t)>& rate,
                                                           const std::function<absl::Status()>& captured) {
  if (!trained_) {
    return absl::FailedPreconditionError("an instrumented epoch must follow an epoch without timestamps");
  }
  const uint32_t steps = StepsOf(order.size());
  std::vector<uint64_t> phases(size_t{steps} * kStepTimestamps), ranges(size_t{steps} * kExchangeTimestamps);
  const size_t bytes = (phases.size() + ranges.size()) * sizeof(uint64_t);
  ASSIGN_OR_RETURN(const DeviceBuffer memory, DeviceBuffer::Make(bytes));
  auto* const first = static_cast<uint64_t*>(memory.data());
  RETURN_IF_ERROR(CudaStatus(cudaMemset(first, 0, bytes), "clearing the timestamps"));
  step_.SetTimestampTables({{first, steps, kStepTimestamps}, {first + phases.size(), steps, kExchangeTimestamps}});
  Graphs plain = std::exchange(graphs_, {});
  absl::Status begun = CaptureInstrumented(plain);
  if (begun.ok() && captured) {
    begun = captured();
  }
  absl::StatusOr<FusedEpoch> result = begun.ok() ? Train(order, epoch, rate) : begun;
  graphs_ = std::move(plain);
  step_.SetTimestampTables({});
  RETURN_IF_ERROR(result.status());
  for (auto [timestamps, from] : {std::pair(&phases, first), std::pair(&ranges, first + phases.size())}) {
    RETURN_IF_ERROR(
        CudaStatus(cudaMemcpy(timestamps->data(), from, timestamps->size() * sizeof(uint64_t), cudaMemcpyDeviceToHost),
                   "reading the GPU's clock"));
  }
  result->timestamps = std::move(phases);
  result->range_timestamps = std::move(ranges);
  return result;
}

// Captures a graph for each one of `like`. A step knows the number of steps per epoch from the previous epoch, so
// graphs can be captured before this epoch begins.
absl::Status ResNetEpochs::CaptureInstrumented(const Graphs& like) {
  for (const auto& [key, graph] : like) {
    RETURN_IF_ERROR(Capture(key.first, key.second));
    RETURN_IF_ERROR(CudaStatus(cudaGraphUpload(graphs_[key].get(), step_.stream()), "uploading a CUDA graph"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
