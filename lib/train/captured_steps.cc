#include "lib/train/captured_steps.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <utility>

#include "lib/base/status_macros.h"
#include "lib/train/saved_tensors.h"

namespace lockstep {
namespace {

// Returns images for trial steps: sine waves that differ between ranks, so that no two ranks have the same gradients.
// Float (n, 3, height, width).
at::Tensor TrialImages(uint32_t images, const ModelShape& shape, uint32_t rank, at::TensorOptions options) {
  constexpr double kStep = 0.7;  // radians from pixel to pixel: neighbours differ, and nothing repeats
  return at::arange(int64_t{images} * kChannels * shape.height * shape.width, options)
      .mul_(kStep)
      .add_(rank)
      .sin_()
      .reshape({images, kChannels, shape.height, shape.width});
}

}  // namespace

bool CapturedSteps::Has(uint32_t images, const GradientHook* hook) const {
  const auto found = steps_.find(images);
  return found != steps_.end() && found->second.hook == hook;
}

absl::Status CapturedSteps::Run(const Inputs& inputs, GradientHook* hook) {
  const auto images = static_cast<double>(inputs.images.size(0));
  const ForwardResult result = forward_(inputs.images, inputs.labels);
  if (hook != nullptr) {
    RETURN_IF_ERROR(hook->BeforeBackward());
  }
  result.loss.backward();
  if (hook != nullptr) {
    RETURN_IF_ERROR(hook->AfterBackward());
  }
  RETURN_IF_ERROR(optimizer_.Step());
  loss_sum_.add_(result.loss.detach().to(at::kDouble), images);
  correct_.add_(result.logits.detach().argmax(1).eq(inputs.labels).sum());
  return absl::OkStatus();
}

absl::Status CapturedSteps::Capture(uint32_t images, GradientHook* hook, uint32_t rank) {
  if (Has(images, hook)) {
    return absl::OkStatus();
  }
  const auto on_device = [&](at::ScalarType type) { return at::TensorOptions(device_).dtype(type); };
  if (!loss_sum_.defined()) {
    loss_sum_ = at::zeros({}, on_device(at::kDouble));
    correct_ = at::zeros({}, on_device(at::kLong));
  }
  Step step;
  step.hook = hook;
  step.inputs.images = TrialImages(images, model_.shape(), rank, on_device(at::kFloat)).contiguous(format_);
  step.inputs.labels = at::zeros({images}, on_device(at::kLong));
  SavedTensors saved;  // everything that a step changes
  for (const auto& tensors : {model_.parameters(), model_.buffers()}) {
    saved.Save(tensors);
  }
  for (const auto& [name, tensor] : optimizer_.State()) {
    saved.Save({tensor});
  }
  optimizer_.ReadRateOnDevice(device_);
  optimizer_.MarkStateInitialized();  // the first step starts from zero momentum: v = 0.9 * 0 + g
  model_.train();
  const StepGraph::Work work = {[this] { model_.zero_grad(); },
                                [this, inputs = step.inputs, hook] { return Run(inputs, hook); }};
  while (hook != nullptr && !hook->settled()) {
    work.before();
    RETURN_IF_ERROR(work.run());
  }
  const StepGraph* const shared = steps_.empty() ? nullptr : steps_.begin()->second.graph.get();
  ASSIGN_OR_RETURN(step.graph, capture_(device_, work, shared));
  saved.Restore();
  steps_.insert_or_assign(images, std::move(step));
  if (hook != nullptr) {
    hook->BeginReplays();
  }
  return absl::OkStatus();
}

void CapturedSteps::Replay(uint32_t images) {
  Step& step = steps_.at(images);
  step.graph->Replay();
  if (step.hook != nullptr) {
    step.hook->Replayed();
  }
}

void CapturedSteps::Clear() {
  if (loss_sum_.defined()) {
    loss_sum_.zero_();
    correct_.zero_();
  }
}

}  // namespace lockstep
