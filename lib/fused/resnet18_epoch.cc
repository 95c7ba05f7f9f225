#include "lib/fused/resnet18_epoch.h"

#include <algorithm>

#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {
namespace {

// Steps that the host may be ahead of the device: enough to hide a pause of the host, few enough that a stop signal is
// answered within a second even at the largest batches (1024 images of 10 ms).
constexpr uint32_t kStepsBetweenLooks = 64;

}  // namespace

ResNet18Epochs::~ResNet18Epochs() {
  for (const auto& [batch, graph] : graphs_) {
    cudaGraphExecDestroy(graph);
  }
  for (const cudaEvent_t event : {begin_, end_}) {
    if (event != nullptr) {
      cudaEventDestroy(event);
    }
  }
}

// Nothing runs while it is captured, so the step's state is as before.
absl::Status ResNet18Epochs::Capture(uint32_t batch) {
  cudaGraph_t graph = nullptr;
  RETURN_IF_ERROR(CudaStatus(cudaStreamBeginCapture(step_.stream(), cudaStreamCaptureModeThreadLocal), "capturing a step"));
  const absl::Status queued = step_.Enqueue(batch);
  const cudaError_t ended = cudaStreamEndCapture(step_.stream(), &graph);
  if (queued.ok() && ended == cudaSuccess) {
    cudaGraphExec_t executable = nullptr;
    const cudaError_t made = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    RETURN_IF_ERROR(CudaStatus(made, "making a CUDA graph of a step"));
    graphs_[batch] = executable;
    return absl::OkStatus();
  }
  cudaGraphDestroy(graph);
  cudaGetLastError();  // a failed capture is no error of the next call
  RETURN_IF_ERROR(queued);
  return CudaStatus(ended, "capturing a step");
}

absl::Status ResNet18Epochs::Prepare(uint32_t images, bool drop_last) {
  drop_last_ = drop_last;
  for (cudaEvent_t* event : {&begin_, &end_}) {
    if (*event == nullptr) {
      RETURN_IF_ERROR(CudaStatus(cudaEventCreate(event), "making a CUDA event"));
    }
  }
  const uint32_t tail = drop_last ? 0 : images % batch_;
  for (const uint32_t batch : {images < batch_ ? 0 : batch_, tail}) {
    if (batch != 0) {
      RETURN_IF_ERROR(step_.Prepare(batch));
    }
  }
  return absl::OkStatus();
}

absl::Status ResNet18Epochs::RunStep(uint32_t batch) {
  if (!use_graphs_) {
    return step_.Enqueue(batch);
  }
  if (graphs_.count(batch) == 0) {
    RETURN_IF_ERROR(Capture(batch));
  }
  return CudaStatus(cudaGraphLaunch(graphs_[batch], step_.stream()), "replaying a step");
}

absl::StatusOr<FusedEpoch> ResNet18Epochs::Train(const std::vector<uint32_t>& order, uint32_t epoch,
                                                 const std::function<float(uint32_t)>& rate,
                                                 const std::function<void(uint64_t)>& done) {
  const auto count = static_cast<uint32_t>(order.size());
  FusedEpoch result;
  result.steps = drop_last_ ? count / batch_ : (count + batch_ - 1) / batch_;
  std::vector<float> rates(result.steps);
  for (uint32_t s = 0; s < result.steps; ++s) {
    rates[s] = rate(s);
  }
  const Stopwatch clock;
  RETURN_IF_ERROR(step_.BeginEpoch(order, epoch, rates));
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(begin_, step_.stream()), "recording a CUDA event"));
  for (uint32_t s = 0; s < result.steps; ++s) {
    const uint32_t batch = std::min(batch_, count - static_cast<uint32_t>(result.images));
    RETURN_IF_ERROR(RunStep(batch));
    result.images += batch;
    if (s % kStepsBetweenLooks == kStepsBetweenLooks - 1) {
      RETURN_IF_ERROR(CheckNotStopped());
      if (done) {
        done(result.images);
      }
    }
  }
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(end_, step_.stream()), "recording a CUDA event"));
  ASSIGN_OR_RETURN(const ResNet18Counts counts, step_.EndEpoch());
  result.seconds = clock.Seconds();
  float milliseconds = 0;
  RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading the CUDA events"));
  result.device_seconds = milliseconds / 1e3;
  result.mean_loss = counts.loss_sum / static_cast<double>(result.images);
  result.accuracy = counts.correct / static_cast<double>(result.images);
  return result;
}

}  // namespace lockstep
