// Reads 3 KB and writes 16 KB (bf16, padded) an image: 0.2 ms for 50,000 images at 4.3 TB/s (an H200's copies, measured), of
// an epoch of several hundred. So the simplest kernel will do: one block an image, one thread a pixel at a time, the draw repeated
// by every thread instead of shared.
#include "lib/cifar/augment.h"
#include "lib/cifar/dataset.h"
#include "lib/kernels/augment_batch.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 256;

// A pixel with its padding, written at once.
template <typename T>
struct alignas(16) PaddedPixel {
  T value[kPaddedChannels];
};

template <typename T, ImageLayout kLayout>
__global__ void AugmentBatchKernel(AugmentBatchInput input, T* images, int64_t* labels) {
  const uint32_t n = blockIdx.x;
  const uint32_t index = input.order[*input.first + n];
  const Augmentation drawn = input.augment ? DrawAugmentation(input.seed, *input.epoch, index) : Augmentation();
  const uint8_t* image = input.pixels + static_cast<size_t>(index) * kImageBytes;
  T* out = images + static_cast<size_t>(n) * ImageElements(kLayout);
  for (uint32_t pixel = threadIdx.x; pixel < kPlaneBytes; pixel += kThreads) {
    const uint32_t y = pixel / kImageWidth;
    const uint32_t x = pixel % kImageWidth;
    // Unsigned, so that what lies above or left of the image is above every size.
    const uint32_t from_y = y + drawn.top - kCropPadding;
    const uint32_t from_x = (drawn.flip ? kImageWidth - 1 - x : x) + drawn.left - kCropPadding;
    const bool inside = from_y < kImageHeight && from_x < kImageWidth;
    PaddedPixel<T> padded = {};
#pragma unroll
    for (uint32_t c = 0; c < kImageChannels; ++c) {
      const uint32_t byte = inside ? image[c * kPlaneBytes + from_y * kImageWidth + from_x] : 0;
      padded.value[c] = T(input.table[c * 256 + byte]);
      if (kLayout == ImageLayout::kNchw) {
        out[c * kPlaneBytes + pixel] = padded.value[c];
      }
    }
    if (kLayout == ImageLayout::kNhwc8) {
      reinterpret_cast<PaddedPixel<T>*>(out)[pixel] = padded;
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
    AugmentBatchKernel<T, ImageLayout::kNhwc8><<<input.batch, kThreads, 0, stream>>>(input, images, labels);
  }
  return cudaGetLastError();
}

template cudaError_t AugmentBatch(const AugmentBatchInput&, ImageLayout, float*, int64_t*, cudaStream_t);
template cudaError_t AugmentBatch(const AugmentBatchInput&, ImageLayout, __nv_bfloat16*, int64_t*, cudaStream_t);

}  // namespace lockstep
