#include "lib/fused/resnet18_epoch.h"

#include <algorithm>

#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {
namespace {

// Steps that are queued between two looks for a stop signal. What is queued by then is still trained.
constexpr uint32_t kStepsBetweenLooks = 64;

}  // namespace

ResNet18Epochs::~ResNet18Epochs() {
  for (const cudaEvent_t event : {begin_, end_}) {
    if (event != nullptr) {
      cudaEventDestroy(event);
    }
  }
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
  CapturedGraph& graph = graphs_[batch];
  if (graph == nullptr) {
    ASSIGN_OR_RETURN(graph, CaptureGraph(step_.stream(), [this, batch] { return step_.Enqueue(batch); }));
  }
  return CudaStatus(cudaGraphLaunch(graph.get(), step_.stream()), "replaying a step");
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
