// Whole training steps (forward, loss, backward, update) captured as CUDA graphs (step_graph.h), one graph per batch
// size.
//
// Each batch is copied into the graph's input tensors. Losses and correct predictions are accumulated on the device. A
// gradient reducer takes part as in any step: each replay repeats the communication that was captured.
#ifndef LOCKSTEP_LIB_TRAIN_CAPTURED_STEPS_H_
#define LOCKSTEP_LIB_TRAIN_CAPTURED_STEPS_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "lib/nn/model.h"
#include "lib/train/gradient_hook.h"
#include "lib/train/optimizer.h"
#include "lib/train/step_graph.h"

namespace lockstep {

// Result of one forward pass.
struct ForwardResult {
  torch::Tensor logits;  // (n, classes), float or bf16
  torch::Tensor loss;    // float (): the mean over the images
};

class CapturedSteps {
 public:
  using Forward = std::function<ForwardResult(const torch::Tensor& images, const torch::Tensor& labels)>;

  // Keeps references to `model` and `optimizer`, which must outlive this object. `model` must be on `device`. `format`
  // is the memory format of the images.
  CapturedSteps(Model& model, Optimizer& optimizer, c10::Device device, at::MemoryFormat format, Forward forward,
                StepGraph::Maker capture = StepGraph::Capture)
      : model_(model), optimizer_(optimizer), device_(device), format_(format), forward_(std::move(forward)),
        capture_(capture) {}

  // Captures a step of `images` images with `hook`, unless that has been done. Weights, the optimizer's state and
  // running statistics are restored afterwards. `hook` may be null and must outlive this object; steps run uncaptured
  // until the hook is settled. Ranks that train together must capture together; `rank` gives each rank different trial
  // images. Returns the errors of StepGraph::Capture, Optimizer::Step and the hook.
  absl::Status Capture(uint32_t images, GradientHook* hook = nullptr, uint32_t rank = 0);

  // Returns true if a step of `images` images has been captured with this hook.
  bool Has(uint32_t images, const GradientHook* hook = nullptr) const;

  // Input tensors of the next step, on the device: float (n, 3, height, width) and int64 (n).
  struct Inputs {
    torch::Tensor images, labels;
  };
  const Inputs& InputsOf(uint32_t images) const { return steps_.at(images).inputs; }

  // Queues the step on the current stream.
  void Replay(uint32_t images);

  // Clear() resets LossSum() and Correct(): the sum of the losses and the number of correct predictions over all images
  // since.
  void Clear();
  double LossSum() const { return loss_sum_.defined() ? loss_sum_.item<double>() : 0; }
  int64_t Correct() const { return correct_.defined() ? correct_.item<int64_t>() : 0; }

 private:
  struct Step {
    Inputs inputs;
    GradientHook* hook = nullptr;
    std::unique_ptr<StepGraph> graph;
  };

  absl::Status Run(const Inputs& inputs, GradientHook* hook);

  Model& model_;
  Optimizer& optimizer_;
  const c10::Device device_;
  const at::MemoryFormat format_;
  const Forward forward_;
  const StepGraph::Maker capture_;
  std::map<uint32_t, Step> steps_;  // captured steps by number of images
  torch::Tensor loss_sum_;          // double ()
  torch::Tensor correct_;           // int64 ()
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_CAPTURED_STEPS_H_
