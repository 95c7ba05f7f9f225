#include "lib/fused/resnet_evaluation.h"

#include <algorithm>
#include <utility>

#include "lib/base/stall_watch.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

// Batches between two checks for a stop signal, each of which waits for the GPU.
constexpr uint32_t kBatchesBetweenStopChecks = 64;

}  // namespace

absl::StatusOr<std::unique_ptr<ResNetEvaluation>> ResNetEvaluation::Make(ResNetStep& step, const ResidentImages& images,
                                                                         uint32_t image_size, EvaluatedViews views,
                                                                         bool use_graphs) {
  ASSIGN_OR_RETURN(std::unique_ptr<const EvaluationImages> uploaded, EvaluationImages::Make(images, image_size));
  std::unique_ptr<ResNetEvaluation> made(new ResNetEvaluation(step, std::move(uploaded), views));
  const uint32_t batch = step.evaluation_batch();
  if (use_graphs && images.count >= batch) {
    const auto enqueue = [&] { return step.EnqueueEvaluation(*made->images_, batch, views); };
    ASSIGN_OR_RETURN(made->full_batch_, CaptureGraph(step.stream(), enqueue));
    RETURN_IF_ERROR(CudaStatus(cudaGraphUpload(made->full_batch_.get(), step.stream()), "uploading a CUDA graph"));
  }
  return made;
}

absl::Status ResNetEvaluation::RunBatch(uint32_t count) {
  return full_batch_ != nullptr && count == step_.evaluation_batch()
             ? CudaStatus(cudaGraphLaunch(full_batch_.get(), step_.stream()), "replaying an evaluation")
             : step_.EnqueueEvaluation(*images_, count, views_);
}

absl::StatusOr<EvaluationCounts> ResNetEvaluation::Run(const std::vector<float>& running) {
  RETURN_IF_ERROR(step_.BeginEvaluation(running));
  const uint32_t batch = step_.evaluation_batch();
  uint32_t batches = 0;
  for (uint32_t first = 0; first < images_->count(); first += batch) {
    if (batches++ % kBatchesBetweenStopChecks == 0) {
      RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(step_.stream()), "evaluating on the GPU"));
      NoteProgress();
      RETURN_IF_ERROR(CheckNotStopped());
    }
    RETURN_IF_ERROR(RunBatch(std::min(batch, images_->count() - first)));
  }
  return step_.EndEvaluation();
}

}  // namespace lockstep
