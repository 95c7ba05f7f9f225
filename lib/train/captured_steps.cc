#include "lib/train/captured_steps.h"

#include <ATen/ops/zeros.h>

#include <utility>

#include "lib/base/status_macros.h"
#include "lib/train/saved_tensors.h"

namespace lockstep {
absl::Status CapturedSteps::Run(const Inputs& inputs) {
  const auto images = static_cast<double>(inputs.images.size(0));
  const ForwardResult result = forward_(inputs.images, inputs.labels);
  result.loss.backward();
  RETURN_IF_ERROR(sgd_.Step());
  loss_sum_.add_(result.loss.detach().to(at::kDouble), images);
  correct_.add_(result.logits.detach().argmax(1).eq(inputs.labels).sum());
  return absl::OkStatus();
}

absl::Status CapturedSteps::Capture(uint32_t images) {
  if (Has(images)) {
    return absl::OkStatus();
  }
  const auto on_device = [&](at::ScalarType type) { return at::TensorOptions(device_).dtype(type); };
  if (!loss_sum_.defined()) {
    loss_sum_ = at::zeros({}, on_device(at::kDouble));
    correct_ = at::zeros({}, on_device(at::kLong));
  }
  Step step;
  step.inputs.images =
      at::zeros({images, kChannels, kImageSize, kImageSize}, on_device(at::kFloat)).contiguous(format_);
  step.inputs.labels = at::zeros({images}, on_device(at::kLong));
  SavedTensors saved;  // all that a step changes
  for (const auto& tensors : {model_.parameters(), model_.buffers(), sgd_.momentum()}) {
    saved.Save(tensors);
  }
  sgd_.ReadRateOnDevice(device_);
  sgd_.GoOn();  // of zeros, before the first step: v = 0.9 * 0 + g
  model_.train();
  const StepGraph::Work work = {[this] { model_.zero_grad(); }, [this, inputs = step.inputs] { return Run(inputs); }};
  const StepGraph* const shared = steps_.empty() ? nullptr : steps_.begin()->second.graph.get();
  ASSIGN_OR_RETURN(step.graph, capture_(device_, work, shared));
  saved.Restore();
  steps_.emplace(images, std::move(step));
  return absl::OkStatus();
}

void CapturedSteps::Clear() {
  if (loss_sum_.defined()) {
    loss_sum_.zero_();
    correct_.zero_();
  }
}

}  // namespace lockstep
