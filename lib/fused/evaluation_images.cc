#include "lib/fused/evaluation_images.h"

#include <numeric>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/dataset/dataset.h"

namespace lockstep {
namespace {

template <typename T>
absl::Status CopyIn(const T* host, size_t count, T* device) {
  return CudaStatus(CopyToDevice(device, host, count * sizeof(T)), "copying images to evaluate on to the GPU");
}

}  // namespace

EvaluationImages::EvaluationImages(uint32_t image_size, uint32_t count)
    : image_bytes_(size_t{kImageChannels} * image_size * image_size), count_(count) {
  arena_.Take(count * image_bytes_, pixels_);
  arena_.Take(count, labels_);
  arena_.Take(count, order_);
}

size_t EvaluationImages::PredictBytes(uint32_t image_size, uint32_t count) {
  return EvaluationImages(image_size, count).bytes();
}

absl::StatusOr<std::unique_ptr<const EvaluationImages>> EvaluationImages::Make(const ResidentImages& images,
                                                                               uint32_t image_size) {
  std::unique_ptr<EvaluationImages> made(new EvaluationImages(image_size, images.count));
  RETURN_IF_ERROR(made->arena_.Allocate());
  std::vector<uint32_t> order(images.count);
  std::iota(order.begin(), order.end(), 0);
  RETURN_IF_ERROR(CopyIn(images.pixels, images.count * made->image_bytes_, made->pixels_));
  RETURN_IF_ERROR(CopyIn(images.labels, images.count, made->labels_));
  RETURN_IF_ERROR(CopyIn(order.data(), order.size(), made->order_));
  return made;
}

void EvaluationImages::ReadBy(AugmentBatchInput& input) const {
  input.pixels = pixels_;
  input.labels = labels_;
  input.order = order_;
}

}  // namespace lockstep
