// Optimizers that scale each element's step by the sizes of its earlier gradients, with the formulas and constants of
// torch.optim: Adam, AdamW, Adagrad, Adadelta and RMSprop. In the formulas all operations are by element, g is the
// gradient + weight_decay * w (AdamW: the gradient), t counts the steps from 1, and the constants are PyTorch's
// defaults.
//
//   Adam      m = 0.9 m + 0.1 g;  v = 0.999 v + 0.001 g^2
//             w = w - rate * (m / (1 - 0.9^t)) / (sqrt(v / (1 - 0.999^t)) + 1e-8)
//   AdamW     w = w - rate * weight_decay * w first, then like Adam
//   Adagrad   v = v + g^2;  w = w - rate * g / (sqrt(v) + 1e-10)
//   Adadelta  v = 0.9 v + 0.1 g^2;  d = g * sqrt(m + 1e-6) / sqrt(v + 1e-6);  m = 0.9 m + 0.1 d^2;  w = w - rate * d
//   RMSprop   v = 0.99 v + 0.01 g^2;  w = w - rate * g / (sqrt(v) + 1e-8)
//
// A step copies nothing to the host, so it can be captured in a CUDA graph.
#ifndef LOCKSTEP_LIB_TRAIN_ADAPTIVE_OPTIMIZER_H_
#define LOCKSTEP_LIB_TRAIN_ADAPTIVE_OPTIMIZER_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/optimizer.h"

namespace lockstep {

struct AdaptiveOptions {
  proto::OptimizerKind kind = proto::ADAM;  // must not be SGD or NESTEROV
  double learning_rate = 1e-3;
  double weight_decay = 5e-4;
  double clip_norm = 0;  // largest norm of all gradients together; 0: no clipping
};

class AdaptiveOptimizer : public Optimizer {
 public:
  AdaptiveOptimizer(std::vector<at::Tensor> parameters, const AdaptiveOptions& options);

  absl::Status Step() override;

  // Returns v as "square/0", ...; m, where the formula has it, as "mean/0", ...; t, where the formula has it, as
  // "steps/0", ... in fp32. All are 0 at the start.
  std::vector<std::pair<std::string, at::Tensor>> State() const override;

 private:
  void StepAdam(const std::vector<at::Tensor>& gradients);
  void StepAdagrad(const std::vector<at::Tensor>& gradients);
  void StepAdadelta(std::vector<at::Tensor> gradients);
  void StepRmsprop(std::vector<at::Tensor> gradients);
  void Subtract(std::vector<at::Tensor> deltas);  // w = w - rate * delta

  const AdaptiveOptions options_;
  // One entry for each parameter, or empty.
  std::vector<at::Tensor> square_;  // v
  std::vector<at::Tensor> mean_;    // m
  std::vector<at::Tensor> steps_;   // t, fp32 ()
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_ADAPTIVE_OPTIMIZER_H_
