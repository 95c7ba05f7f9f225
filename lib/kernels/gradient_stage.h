// The pixels of a square output of `size` that a weight gradient takes at a time: whole images, or rows of one.
#ifndef LOCKSTEP_LIB_KERNELS_GRADIENT_STAGE_H_
#define LOCKSTEP_LIB_KERNELS_GRADIENT_STAGE_H_

#include <cstdint>

namespace lockstep {

constexpr uint32_t ImagesOfStage(uint32_t pixels, uint32_t size) {
  return size * size < pixels ? pixels / (size * size) : 1;
}

// In each of its images.
constexpr uint32_t RowsOfStage(uint32_t pixels, uint32_t size) { return size * size < pixels ? size : pixels / size; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_GRADIENT_STAGE_H_
