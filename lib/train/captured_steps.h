// Whole training steps - forward, loss, backward, update - as CUDA graphs (step_graph.h), one for each size of batch. A batch is
// copied to where the graph reads it; losses and what was right are added up on the device. A reducer of gradients takes
// part as in any step: what it sends while a step is captured is sent by each replay.
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
#include "lib/train/sgd.h"
#include "lib/train/step_graph.h"

namespace lockstep {

// What one forward pass gives.
struct ForwardResult {
  torch::Tensor logits;  // (n, kClasses), float or bf16
  torch::Tensor loss;    // float (): the mean over the images
};

class CapturedSteps {
 public:
  using Forward = std::function<ForwardResult(const torch::Tensor& images, const torch::Tensor& labels)>;

  // `model`, on its device, and `sgd` outlive this. `format`: how images lie in memory.
  CapturedSteps(Model& model, Sgd& sgd, c10::Device device, at::MemoryFormat format, Forward forward,
                StepGraph::Maker capture = StepGraph::Capture)
      : model_(model), sgd_(sgd), device_(device), format_(format), forward_(std::move(forward)), capture_(capture) {}

  // Captures a step of this many images, once; weights, momentum and running statistics are afterwards what they were.
  // `hook` may be null, and outlives this; it is tried until it is settled. Ranks that train together capture together, and
  // try the step on different images, by their `rank`. Errors as StepGraph::Capture's, Sgd::Step's and the hook's.
  absl::Status Capture(uint32_t images, GradientHook* hook = nullptr, uint32_t rank = 0);

  // Whether there is one, captured with this hook.
  bool Has(uint32_t images, const GradientHook* hook = nullptr) const;

  // Where the next step's batch goes: float (n, 3, 32, 32) and int64 (n) on the device.
  struct Inputs {
    torch::Tensor images, labels;
  };
  const Inputs& InputsOf(uint32_t images) const { return steps_.at(images).inputs; }

  // Queues the step on the current stream.
  void Replay(uint32_t images);

  // Loss and hits of the steps since Clear, summed over the images.
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
  Sgd& sgd_;
  const c10::Device device_;
  const at::MemoryFormat format_;
  const Forward forward_;
  const StepGraph::Maker capture_;
  std::map<uint32_t, Step> steps_;  // by the number of images
  torch::Tensor loss_sum_;          // double ()
  torch::Tensor correct_;           // int64 ()
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_CAPTURED_STEPS_H_
