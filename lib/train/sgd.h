// Stochastic gradient descent like torch.optim.SGD, in one fused pass over parameters, gradients and momentum.
//
//   g = gradient + weight_decay * w;   v = momentum * v + g  (v = g in the first step);   w = w - learning_rate * v
//
// Two rules for large batches may change the gradients in place first: clipping (clip_gradients.h), then local rates
// (lars.h). With local rates, biases and batch norm have no weight decay. LibTorch's own torch::optim::SGD makes three
// passes, and as many launches, for every tensor.
#ifndef LOCKSTEP_LIB_TRAIN_SGD_H_
#define LOCKSTEP_LIB_TRAIN_SGD_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <vector>

#include "absl/status/status.h"

namespace lockstep {

struct SgdOptions {
  double learning_rate = 0.1;
  double momentum = 0.9;  // 0: no momentum
  double weight_decay = 5e-4;
  double clip_norm = 0;  // largest norm of all gradients together; 0: no clipping
  double lars = 0;       // LARS' trust coefficient; 0: plain SGD
};

// Not thread-safe. Throws c10::Error as LibTorch does.
class Sgd {
 public:
  Sgd(std::vector<at::Tensor> parameters, const SgdOptions& options);

  // Performs one update. Returns FailedPreconditionError, without any change, if a parameter has no gradient.
  absl::Status Step();

  void set_learning_rate(double learning_rate);
  double learning_rate() const { return options_.learning_rate; }

  // Returns v of each parameter: zeros before the first step; empty without momentum.
  const std::vector<at::Tensor>& momentum() const { return momentum_; }

  // Makes each later step read the learning rate, in fp32, from device memory, where set_learning_rate() writes it. A
  // captured step can then be replayed with another rate.
  void ReadRateOnDevice(c10::Device device);

  // Declares that momentum() holds the values of earlier steps, which the caller has written there.
  void MarkMomentumInitialized() { first_step_ = false; }

 private:
  void StepWithLocalRates(const std::vector<at::Tensor>& gradients);
  void Update(at::TensorList parameters, at::TensorList gradients, at::TensorList momentum, double weight_decay);

  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> momentum_;  // like parameters_; empty without momentum
  SgdOptions options_;
  at::Tensor rate_;  // fp32 () on the device; undefined: the step takes options_.learning_rate
  bool first_step_ = true;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SGD_H_
