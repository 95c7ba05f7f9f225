// Stochastic gradient descent like torch.optim.SGD, in one fused pass over parameters, gradients and momentum.
//
//   g = gradient + weight_decay * w;   v = momentum * v + g  (v = g in the first step);   w = w - learning_rate * v
//
// With Nesterov momentum, g + momentum * v takes the place of v in the last formula. Two rules for large batches may
// change the gradients in place first: clipping (clip_gradients.h), then local rates (lars.h). With local rates, biases
// and batch norm have no weight decay. LibTorch's own torch::optim::SGD makes three passes, and as many launches, for
// every tensor.
#ifndef LOCKSTEP_LIB_TRAIN_SGD_H_
#define LOCKSTEP_LIB_TRAIN_SGD_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/train/optimizer.h"

namespace lockstep {

struct SgdOptions {
  double learning_rate = 0.1;
  double momentum = 0.9;  // 0: no momentum
  double weight_decay = 5e-4;
  double clip_norm = 0;   // largest norm of all gradients together; 0: no clipping
  double lars = 0;        // LARS' trust coefficient; 0: plain SGD
  bool nesterov = false;  // true: Nesterov momentum; `momentum` must not be 0
};

class Sgd : public Optimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, const SgdOptions& options);

  absl::Status Step() override;

  // Returns v of each parameter, as "momentum/0", ...: zeros before the first step; empty without momentum.
  std::vector<std::pair<std::string, at::Tensor>> State() const override;
  void MarkStateInitialized() override { first_step_ = false; }

 private:
  void StepWithLocalRates(const std::vector<at::Tensor>& gradients);
  void Update(at::TensorList parameters, at::TensorList gradients, at::TensorList momentum, double weight_decay);

  std::vector<at::Tensor> momentum_;  // like parameters(); empty without momentum
  SgdOptions options_;                // its learning rate is that of the start
  bool first_step_ = true;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SGD_H_
