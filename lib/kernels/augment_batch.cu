// Reads 3 KB and writes 6 KB (bf16) an image: 0.1 ms for 50,000 images at 4.3 TB/s (an H200's copies, measured), of an epoch
// of several hundred. So the simplest kernel will do: one block an image, one thread a pixel at a time, the draw repeated
// by every thread instead of shared.
#include "lib/cifar/augment.h"
#include "lib/cifar/dataset.h"
#include "lib/kernels/augment_batch.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 256;

template <typename T, ImageLayout kLayout>
__global__ void AugmentBatchKernel(AugmentBatchInput input, T* images, int64_t* labels) {
  const uint32_t n = blockIdx.x;
  const uint32_t index = input.order[*input.first + n];
  const Augmentation drawn = DrawAugmentation(input.seed, *input.epoch, index);
  const uint8_t* image = input.pixels + static_cast<size_t>(index) * kImageBytes;
  T* out = images + static_cast<size_t>(n) * kImageBytes;
  for (uint32_t pixel = threadIdx.x; pixel < kPlaneBytes; pixel += kThreads) {
    const uint32_t y = pixel / kImageWidth;
    const uint32_t x = pixel % kImageWidth;
    // Unsigned, so that what lies above or left of the image is above every size.
    const uint32_t from_y = y + drawn.top - kCropPadding;
    const uint32_t from_x = (drawn.flip ? kImageWidth - 1 - x : x) + drawn.left - kCropPadding;
    const bool inside = from_y < kImageHeight && from_x < kImageWidth;
    for (uint32_t c = 0; c < kImageChannels; ++c) {
      const uint32_t byte = inside ? image[c * kPlaneBytes + from_y * kImageWidth + from_x] : 0;
      const size_t at = kLayout == ImageLayout::kNchw ? c * kPlaneBytes + pixel : pixel * kImageChannels + c;
      out[at] = T(input.table[c * 256 + byte]);
    }
  }
  if (threadIdx.x == 0) {
    labels[n] = input.labels[index];
  }
}

}  // namespace

template <typename T>
cudaError_t AugmentBatch(const AugmentBatchInput& input, ImageLayout layout, T* images, int64_t* labels,
                         cudaStream_t stream) {
  if (input.batch == 0) {
    return cudaSuccess;
  }
  if (layout == ImageLayout::kNchw) {
    AugmentBatchKernel<T, ImageLayout::kNchw><<<input.batch, kThreads, 0, stream>>>(input, images, labels);
  } else {
    AugmentBatchKernel<T, ImageLayout::kNhwc><<<input.batch, kThreads, 0, stream>>>(input, images, labels);
  }
  return cudaGetLastError();
}

template cudaError_t AugmentBatch(const AugmentBatchInput&, ImageLayout, float*, int64_t*, cudaStream_t);
template cudaError_t AugmentBatch(const AugmentBatchInput&, ImageLayout, __nv_bfloat16*, int64_t*, cudaStream_t);

}  // namespace lockstep
