// Stochastic gradient descent as torch.optim.SGD defines it, in one fused pass over parameters, gradients and momentum.
//
//   g = gradient + weight_decay * w;   v = momentum * v + g  (v = g in the first step);   w = w - learning_rate * v
//
// with two rules for large batches: the gradient clipped (clip_gradients.h), and then local rates (lars.h). Both change
// the gradients in place; with local rates biases and batch norm have no weight decay. LibTorch's own torch::optim::SGD
// makes three passes and as many launches for every tensor.
#ifndef LOCKSTEP_LIB_TRAIN_SGD_H_
#define LOCKSTEP_LIB_TRAIN_SGD_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <vector>

#include "absl/status/status.h"

namespace lockstep {

struct SgdOptions {
  double learning_rate = 0.1;
  double momentum = 0.9;  // 0: none
  double weight_decay = 5e-4;
  double clip_norm = 0;  // of all gradients together; 0: not clipped
  double lars = 0;       // LARS' trust coefficient; 0: plain SGD
};

// Not thread-safe. Throws c10::Error as LibTorch does.
class Sgd {
 public:
  Sgd(std::vector<at::Tensor> parameters, const SgdOptions& options);

  // One update. FailedPrecondition when a parameter has no gradient: then nothing is changed.
  absl::Status Step();

  void set_learning_rate(double learning_rate);
  double learning_rate() const { return options_.learning_rate; }

  // v of each parameter; none without momentum, zeros before the first step.
  const std::vector<at::Tensor>& momentum() const { return momentum_; }

  // From here on each step reads the learning rate, in fp32, from the device's memory, where set_learning_rate puts it: a captured
  // step can be replayed at another.
  void ReadRateOnDevice(c10::Device device);

  // The momentum holds what steps before this one left, written into momentum().
  void GoOn() { first_step_ = false; }

 private:
  void StepWithLocalRates(const std::vector<at::Tensor>& gradients);
  void Update(at::TensorList parameters, at::TensorList gradients, at::TensorList momentum, double weight_decay);

  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> momentum_;  // like parameters_; empty without momentum
  SgdOptions options_;
  at::Tensor rate_;  // fp32 () on the device; undefined: the host's is taken
  bool first_step_ = true;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SGD_H_
