// Images and classes that the fused step (lib/fused) can train on, for code that has neither LibTorch nor CUDA.
#ifndef LOCKSTEP_LIB_NETWORKS_FUSED_SHAPE_H_
#define LOCKSTEP_LIB_NETWORKS_FUSED_SHAPE_H_

#include <cstdint>

namespace lockstep {

// Limits of an image's height and width in pixels, which must be equal, and a multiple of the step. Three strides of 2
// need the multiple; with fewer pixels, an image has one position in the last stage, over which batch norm cannot take
// a variance; the upper limit is that of AugmentBatch (lib/kernels/augment_batch.h).
inline constexpr uint32_t kFusedImageSizeStep = 8;
inline constexpr uint32_t kMinFusedImageSize = 16;
inline constexpr uint32_t kMaxFusedImageSize = 400;

inline constexpr uint32_t kMaxFusedClasses = 1000;  // largest number of classes (lib/kernels/classifier.h)

// Returns true if images of this height and width keep the limits.
constexpr bool IsFusedImageSize(int64_t height, int64_t width) {
  return height == width && height % kFusedImageSizeStep == 0 && height >= kMinFusedImageSize &&
         height <= kMaxFusedImageSize;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NETWORKS_FUSED_SHAPE_H_
