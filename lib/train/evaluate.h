// Accuracy of a network on a set of images.
#ifndef LOCKSTEP_LIB_TRAIN_EVALUATE_H_
#define LOCKSTEP_LIB_TRAIN_EVALUATE_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <array>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/nn/model.h"

namespace lockstep {

// Images per forward pass on CUDA: 10,000 test images in ten passes, each large enough to fill the GPU. On a CPU,
// batches are no larger than the training batch, which is known to fit into memory.
inline constexpr uint32_t kCudaEvaluationBatch = 1000;

// Share of an image set that one rank evaluates. The shares of all ranks are disjoint and cover the set.
struct EvaluationShare {
  uint32_t rank = 0;
  uint32_t ranks = 1;
  bool often = false;  // the set is evaluated many times: cuDNN may benchmark its engines first, which costs seconds
                       // and then saves a third
};

// Returns the first image of the rank's share, and the number of images in the share.
std::pair<int64_t, int64_t> RangeOfShare(const ImageSet& images, const EvaluationShare& share);

// Numbers of correctly classified images.
struct CorrectCounts {
  int64_t plain = 0;     // images whose largest logit is the label's
  int64_t mirrored = 0;  // the same by the mean of the logits of each image and its mirror image
};

// Evaluates any number of networks on one set of images. On CUDA the first evaluation copies the rank's share to the
// device as uint8, where it stays; normalization and conversion to channels-last happen there. Not thread-safe.
class Evaluator {
 public:
  // Keeps a reference to `images`, which must outlive this object. `mean` and `std` are the per-channel values that the
  // networks are trained with (lib/dataset/normalization.h). `batch_size` must be at least 1.
  Evaluator(const ImageSet& images, const std::array<float, 3>& mean, const std::array<float, 3>& std,
            uint32_t batch_size, c10::Device device, EvaluationShare share = {});

  // Returns the number of images in the share whose largest logit is the label's. The network runs in eval mode (batch
  // norm with its running statistics) and without augmentation; its mode is restored afterwards. `model` must be on the
  // device. Returns CancelledError at a stop signal, ResourceExhaustedError if memory runs out.
  absl::StatusOr<int64_t> CountCorrect(Model& model);

  // Returns both counts, by two forward passes over each image. `plain` is the result of CountCorrect(), whose contract
  // holds here, too.
  absl::StatusOr<CorrectCounts> CountCorrectMirrored(Model& model);

  // Returns the accuracy on the whole set. `correct` is the sum of a count over the shares. Returns
  // InvalidArgumentError if the set is empty.
  absl::StatusOr<double> Accuracy(double correct) const;

 private:
  enum class Views { kPlain, kPlainAndMirrored };

  void Upload();
  torch::Tensor Normalized(int64_t first, int64_t count) const;  // float (count, 3, height, width)
  absl::StatusOr<CorrectCounts> Count(Model& model, Views views);
  absl::StatusOr<CorrectCounts> CountUploaded(Model& model, Views views) const;

  const ImageSet& images_;
  const int64_t first_, count_;  // range of the share
  const std::array<float, 3> mean_host_;
  const std::array<float, 3> std_host_;
  const int64_t batch_size_;
  const c10::Device device_;
  const bool often_;
  torch::Tensor pixels_;  // uint8 (count_, 3, height, width)
  torch::Tensor labels_;  // int16 (count_)
  torch::Tensor full_;    // float (1): 255, the divisor of a byte
  torch::Tensor mean_;    // float (1, 3, 1, 1)
  torch::Tensor std_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EVALUATE_H_
