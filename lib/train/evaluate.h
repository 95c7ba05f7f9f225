// Accuracy on a whole set of images.
#ifndef LOCKSTEP_LIB_TRAIN_EVALUATE_H_
#define LOCKSTEP_LIB_TRAIN_EVALUATE_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/nn/model.h"

namespace lockstep {

// Images per forward pass on CUDA: 10,000 test images in ten passes, each large enough to fill the GPU. On a CPU the training
// batch is taken, which is known to fit into its memory.
inline constexpr uint32_t kCudaEvaluationBatch = 1000;

// Which part of a set one of several ranks is asked: parts are disjoint, and together they are the set. And how often.
struct EvaluationShare {
  uint32_t rank = 0;
  uint32_t ranks = 1;
  bool often = false;  // asked many times: cuDNN may try its engines first, which costs seconds and then saves a third
};

// Asks one set of images of any number of networks. On CUDA the share lies on the device as uint8 from the first question on,
// and is normalised and laid out channels-last there. Not thread-safe.
class Evaluator {
 public:
  // `mean` and `std` per channel are those that the networks are trained with (lib/dataset/normalization.h). `batch_size` is at least
  // 1. `images` outlives this.
  Evaluator(const ImageSet& images, const std::array<float, 3>& mean, const std::array<float, 3>& std,
            uint32_t batch_size, c10::Device device, EvaluationShare share = {});

  // The images of the share whose largest logit is the label's, every image counted once, in eval mode (batch norm with
  // its running statistics) and without augmentation. The model, which lives on the device, is back in its mode
  // afterwards. Cancelled: a stop signal. ResourceExhausted: out of memory.
  absl::StatusOr<int64_t> CountCorrect(Model& model);

  // The accuracy on the whole set, from the sum of CountCorrect over the shares. InvalidArgument: no images.
  absl::StatusOr<double> Accuracy(double correct) const;

 private:
  void Upload();
  torch::Tensor Normalized(int64_t first, int64_t count) const;  // float (count, 3, 32, 32)
  absl::StatusOr<int64_t> CountUploaded(Model& model) const;

  const ImageSet& images_;
  const int64_t first_, count_;  // of the share
  const std::array<float, 3> mean_host_;
  const std::array<float, 3> std_host_;
  const int64_t batch_size_;
  const c10::Device device_;
  const bool often_;
  torch::Tensor pixels_;  // uint8 (count_, 3, 32, 32)
  torch::Tensor labels_;  // uint8 (count_)
  torch::Tensor full_;    // float (1): 255, what a byte is divided by
  torch::Tensor mean_;    // float (1, 3, 1, 1)
  torch::Tensor std_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EVALUATE_H_
