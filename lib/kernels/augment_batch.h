// Makes a training batch on the GPU from a data set in device memory: gather, random crop, random flip, normalisation
// and the cast to the network's type, in one kernel.
//
// Random draws and roundings are those of the host's loader (lib/dataset/augment.h), so both produce the same batch for
// the same (seed, epoch, image), bit for bit. The kernel reads the batch's first entry and the epoch from device
// memory, so a step that is captured in a CUDA graph can be replayed for every batch of every epoch.
#ifndef LOCKSTEP_LIB_KERNELS_AUGMENT_BATCH_H_
#define LOCKSTEP_LIB_KERNELS_AUGMENT_BATCH_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lib/dataset/augment.h"

namespace lockstep {

// Input of AugmentBatch. All pointers must be device pointers (host pointers for the reference).
struct AugmentBatchInput {
  const uint8_t* pixels = nullptr;   // uint8 (images, 3, image_size, image_size)
  const uint16_t* labels = nullptr;  // uint16 (images)
  const uint32_t* order = nullptr;   // uint32 (entries): the epoch's order; every entry must be below `images`
  const uint32_t* first = nullptr;   // uint32 (): the batch is order[*first + ahead] and the next `batch - 1` entries
  const uint32_t* epoch = nullptr;   // uint32 (): key of the augmentation, with seed and image index
  const float* table = nullptr;      // fp32 (3, 256): a NormalizationTable (lib/dataset/augment.h)
  uint64_t seed = 0;
  uint32_t batch = 0;     // images; 0 does nothing
  bool augment = true;    // false: only normalise
  uint32_t ahead = 0;     // entries to skip after *first
  ImageExtent extent;     // height and width of the images in pixels
  AugmentationRule rule;  // kind of augmentation, with `augment` only
  bool mirror = false;    // true: flips every image horizontally; must be false with `augment`
};

inline constexpr uint32_t kAugmentSizeStep = 8;   // rows of an image that a block makes
inline constexpr uint32_t kMaxAugmentSize = 400;  // a block's rows in fp32 fit into 48 KiB of shared memory

// Memory layout of the images.
// - kNchw: (batch, 3, height, width).
// - kNhwc: (batch, height, width, 3), LibTorch's channels-last.
// - kPatches: (batch, height, width, 32): for each pixel its 3x3 neighbourhood in 3 channels, row by row, with zeros
//   beyond the border, then five zeros. A 3x3 convolution of the image is a 1x1 convolution of the patches; its 32
//   input channels fill the tensor cores, which 3 channels do not. Images must be squares of a multiple of
//   kAugmentSizeStep, at most kMaxAugmentSize.
enum class ImageLayout { kNchw, kNhwc, kPatches };
inline constexpr uint32_t kPatchElements = 32;

// Returns the number of elements of one image in memory.
constexpr uint32_t ImageElements(ImageLayout layout, ImageExtent extent = {}) {
  return (layout == ImageLayout::kPatches ? kPatchElements : 3) * extent.height * extent.width;
}

// Writes the images in `layout`, which must be aligned to 16 bytes, and the labels: int64 (batch). Runs on `stream`
// and returns the launch's error, or cudaErrorInvalidValue for an extent that the layout does not have or that the rule
// does not fit, and for `mirror` with `augment`. T: float or __nv_bfloat16, which is rounded from the float to nearest
// even.
template <typename T>
cudaError_t AugmentBatch(const AugmentBatchInput& input, ImageLayout layout, T* images, int64_t* labels,
                         cudaStream_t stream);

// Reference on the host, image by image through AugmentImage.
template <typename T>
void AugmentBatchReference(const AugmentBatchInput& input, ImageLayout layout, T* images, int64_t* labels);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_AUGMENT_BATCH_H_
