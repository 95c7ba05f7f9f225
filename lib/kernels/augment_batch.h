// A training batch made on the GPU from a data set that lies there: gather, random crop, random flip, normalisation, and
// the cast to the network's type, in one kernel.
//
// The same draws and the same roundings as the host's loader (lib/dataset/augment.h), so both give the same batch for the
// same (seed, epoch, image), bit for bit. Where the batch begins and which epoch it is are read on the device: a step that
// is captured in a CUDA graph can be replayed for every batch of every epoch.
#ifndef LOCKSTEP_LIB_KERNELS_AUGMENT_BATCH_H_
#define LOCKSTEP_LIB_KERNELS_AUGMENT_BATCH_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// All pointers are of the device (of the host for the reference).
struct AugmentBatchInput {
  const uint8_t* pixels = nullptr;  // uint8 (images, 3, 32, 32)
  const uint8_t* labels = nullptr;  // uint8 (images)
  const uint32_t* order = nullptr;  // uint32 (entries): the epoch's order; every entry below `images`
  const uint32_t* first = nullptr;  // uint32 (): the batch is order[*first + ahead] and the `batch - 1` behind it
  const uint32_t* epoch = nullptr;  // uint32 (): key of the augmentation, with seed and image index
  const float* table = nullptr;     // fp32 (3, 256): a NormalizationTable (lib/dataset/augment.h)
  uint64_t seed = 0;
  uint32_t batch = 0;   // images; 0 does nothing
  bool augment = true;  // false: normalised only
  uint32_t ahead = 0;   // entries
};

// kNchw: (batch, 3, 32, 32). kPatches: (batch, 32, 32, 32), of each pixel its surroundings, row by row 3x3 pixels of 3
// channels with zeros beyond the border, and five zeros: a 3x3 convolution of an image is a 1x1 convolution of its patches,
// which fills tensor cores where three channels do not.
enum class ImageLayout { kNchw, kPatches };
inline constexpr uint32_t kPatchElements = 32;

// Elements of one image in memory.
constexpr uint32_t ImageElements(ImageLayout layout) {
  return (layout == ImageLayout::kNchw ? 3 : kPatchElements) * 32 * 32;
}

// Writes images as `layout` says, aligned to 16 bytes, and labels: int64 (batch). T: float or __nv_bfloat16, which
// is rounded to nearest even from the float. Returns the launch's error; runs on `stream`.
template <typename T>
cudaError_t AugmentBatch(const AugmentBatchInput& input, ImageLayout layout, T* images, int64_t* labels,
                         cudaStream_t stream);

// The same on the host, image by image through AugmentImage.
template <typename T>
void AugmentBatchReference(const AugmentBatchInput& input, ImageLayout layout, T* images, int64_t* labels);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_AUGMENT_BATCH_H_
