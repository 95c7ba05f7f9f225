// Batch norm like torch.nn.BatchNorm2d, with a replaceable forward pass for training.
//
// The statistics that normalize in training mode are a choice of the run, not of the network: those of this device's
// images (plain), or those of all ranks' images. Therefore the forward pass is set on a network that has been built.
// Parameters, buffers and their names stay the same, and so do checkpoints.
#ifndef LOCKSTEP_LIB_NN_BATCH_NORM_H_
#define LOCKSTEP_LIB_NN_BATCH_NORM_H_

#include <torch/nn/modules/batchnorm.h>

#include <functional>
#include <utility>

namespace lockstep {

class BatchNormImpl : public torch::nn::BatchNorm2dImpl {
 public:
  // Normalizes `x`, float or bf16 (N, C, H, W), and updates the running statistics of `batch_norm`, which is the layer
  // itself. Returns a tensor of the same shape and dtype.
  using TrainingForward = std::function<torch::Tensor(const torch::Tensor& x, BatchNormImpl& batch_norm)>;

  using torch::nn::BatchNorm2dImpl::BatchNorm2dImpl;

  // Runs plain batch norm, or in training mode the forward pass that was set.
  torch::Tensor forward(const torch::Tensor& x) {
    return is_training() && training_forward_ ? training_forward_(x, *this) : torch::nn::BatchNorm2dImpl::forward(x);
  }

  // Sets the forward pass for training; null restores plain batch norm.
  void SetTrainingForward(TrainingForward training_forward) { training_forward_ = std::move(training_forward); }

 private:
  TrainingForward training_forward_;
};
TORCH_MODULE(BatchNorm);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_BATCH_NORM_H_
