// ResNetEvaluation: loss and correct predictions of a ResNet on one set of images, by the forward pass of its training
// step. CUDA graphs hold a full batch of the step; the last, smaller batch is launched directly.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_EVALUATION_H_
#define LOCKSTEP_LIB_FUSED_RESNET_EVALUATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/cuda/captured_graph.h"
#include "lib/fused/evaluation_images.h"
#include "lib/fused/resnet_step.h"
#include "lib/fused/resnet_values.h"

namespace lockstep {

class ResNetEvaluation {
 public:
  // Uploads the images, of the size of the step's, and captures a graph if `use_graphs`. `step` must outlive the result
  // and must be prepared for its max_batch. Returns the errors of EvaluationImages and CUDA.
  static absl::StatusOr<std::unique_ptr<ResNetEvaluation>> Make(ResNetStep& step, const ResidentImages& images,
                                                                uint32_t image_size, EvaluatedViews views,
                                                                bool use_graphs);

  // Evaluates with the step's current weights. `running`: running statistics in the layout of resnet_units.h; empty:
  // the step's own. Must not be called between BeginEpoch and EndEpoch of the step. Returns CancelledError at a stop
  // signal.
  absl::StatusOr<EvaluationCounts> Run(const std::vector<float>& running = {});

  size_t bytes() const { return images_->bytes(); }  // device memory taken

 private:
  ResNetEvaluation(ResNetStep& step, std::unique_ptr<const EvaluationImages> images, EvaluatedViews views)
      : step_(step), images_(std::move(images)), views_(views) {}

  absl::Status RunBatch(uint32_t count);

  ResNetStep& step_;
  const std::unique_ptr<const EvaluationImages> images_;
  const EvaluatedViews views_;
  CapturedGraph full_batch_;  // null: batches are launched directly
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_EVALUATION_H_
