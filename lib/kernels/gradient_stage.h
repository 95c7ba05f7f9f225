// Size of a stage of a weight gradient: the pixels of a square output of side `size` that are processed at a time. A
// stage is whole images, or rows of one image.
#ifndef LOCKSTEP_LIB_KERNELS_GRADIENT_STAGE_H_
#define LOCKSTEP_LIB_KERNELS_GRADIENT_STAGE_H_

#include <cstdint>

namespace lockstep {

constexpr uint32_t ImagesOfStage(uint32_t pixels, uint32_t size) {
  return size * size < pixels ? pixels / (size * size) : 1;
}

// Number of rows in each image of the stage.
constexpr uint32_t RowsOfStage(uint32_t pixels, uint32_t size) { return size * size < pixels ? size : pixels / size; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_GRADIENT_STAGE_H_
