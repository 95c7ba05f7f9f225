// Update of the parameters from their gradients: the interface of all optimizers of autograd training.
#ifndef LOCKSTEP_LIB_TRAIN_OPTIMIZER_H_
#define LOCKSTEP_LIB_TRAIN_OPTIMIZER_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Not thread-safe. Throws c10::Error as LibTorch does.
class Optimizer {
 public:
  Optimizer(std::vector<at::Tensor> parameters, double learning_rate)
      : parameters_(std::move(parameters)), learning_rate_(learning_rate) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Performs one update. Returns FailedPreconditionError, without any change, if a parameter has no gradient.
  virtual absl::Status Step() = 0;

  // Returns the tensors, apart from the parameters, that a step reads and changes, with names such as "momentum/0".
  // Their order is always the same.
  virtual std::vector<std::pair<std::string, at::Tensor>> State() const = 0;

  // Declares that State() holds the values of earlier steps, or zeros that may be taken for them.
  virtual void MarkStateInitialized() {}

  void set_learning_rate(double learning_rate);
  double learning_rate() const { return learning_rate_; }

  // Makes each later step read the learning rate, in fp32, from device memory, where set_learning_rate() writes it. A
  // captured step can then be replayed with another rate.
  void ReadRateOnDevice(c10::Device device);

 protected:
  // Returns the gradients of all parameters. Returns FailedPreconditionError if a parameter has none.
  absl::StatusOr<std::vector<at::Tensor>> Gradients() const;

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

  // Calls update() with the learning rate in the form that the next step must read: rate_on_device() if it is defined,
  // else a double. For LibTorch's functions that accept both.
  template <typename F>
  void WithRate(F update) const {
    rate_.defined() ? update(rate_) : update(learning_rate_);
  }

  // Learning rate on the device, fp32 (); undefined before ReadRateOnDevice().
  const at::Tensor& rate_on_device() const { return rate_; }

 private:
  std::vector<at::Tensor> parameters_;
  double learning_rate_;
  at::Tensor rate_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_OPTIMIZER_H_
