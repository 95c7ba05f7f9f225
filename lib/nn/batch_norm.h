// Batch norm with a seam: torch.nn.BatchNorm2d, and another way to train it where one was set.
//
// What it normalises by in training mode is a choice of the run, not of the network: the statistics of this device's
// images (plain), or of all ranks' images. So the way is set from outside on a network that is built already. Parameters,
// buffers and their names stay as they are, and with them checkpoints.
#ifndef LOCKSTEP_LIB_NN_BATCH_NORM_H_
#define LOCKSTEP_LIB_NN_BATCH_NORM_H_

#include <torch/nn/modules/batchnorm.h>

#include <functional>
#include <utility>

namespace lockstep {

class BatchNormImpl : public torch::nn::BatchNorm2dImpl {
 public:
  // x: float or bf16 (N, C, H, W). Returns the same, normalised, and moves the running statistics of `norm`, which is the
  // layer itself.
  using TrainingForward = std::function<torch::Tensor(const torch::Tensor& x, BatchNormImpl& norm)>;

  using torch::nn::BatchNorm2dImpl::BatchNorm2dImpl;

  // Plain batch norm, unless the layer is in training mode and has a way of its own.
  torch::Tensor forward(const torch::Tensor& x) {
    return is_training() && training_forward_ ? training_forward_(x, *this) : torch::nn::BatchNorm2dImpl::forward(x);
  }

  // Null makes it plain again.
  void SetTrainingForward(TrainingForward training_forward) { training_forward_ = std::move(training_forward); }

 private:
  TrainingForward training_forward_;
};
TORCH_MODULE(BatchNorm);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_BATCH_NORM_H_
