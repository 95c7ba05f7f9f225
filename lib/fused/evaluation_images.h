// EvaluationImages: images in GPU memory on which a network is evaluated, in their order.
#ifndef LOCKSTEP_LIB_FUSED_EVALUATION_IMAGES_H_
#define LOCKSTEP_LIB_FUSED_EVALUATION_IMAGES_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/resnet_values.h"
#include "lib/kernels/augment_batch.h"

namespace lockstep {

// Views of an image from which its class is predicted.
enum class EvaluatedViews {
  kPlain,
  kPlainAndMirrored,  // the image itself; then the mean of the logits of the image and its mirror image
};

class EvaluationImages {
 public:
  // Returns the bytes that Make would take.
  static size_t PredictBytes(uint32_t image_size, uint32_t count);

  // Uploads the images. `images.count` must be at least 1. Mean and std are ignored, because an evaluation has the
  // normalisation of the training images. Returns ResourceExhaustedError if the memory does not fit.
  static absl::StatusOr<std::unique_ptr<const EvaluationImages>> Make(const ResidentImages& images,
                                                                      uint32_t image_size);

  EvaluationImages(const EvaluationImages&) = delete;
  EvaluationImages& operator=(const EvaluationImages&) = delete;

  uint32_t count() const { return count_; }
  size_t bytes() const { return arena_.bytes(); }

  // Makes `input` read these images in their order.
  void ReadBy(AugmentBatchInput& input) const;

 private:
  EvaluationImages(uint32_t image_size, uint32_t count);

  const size_t image_bytes_;
  const uint32_t count_;
  DeviceArena arena_;
  uint8_t* pixels_ = nullptr;
  uint16_t* labels_ = nullptr;
  uint32_t* order_ = nullptr;  // 0, 1, ..., count_ - 1
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_EVALUATION_IMAGES_H_
