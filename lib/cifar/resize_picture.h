// Resizing of a picture to a square, like torchvision's Resize(side) followed by CenterCrop(side).
//
// The shorter side becomes `side`, by a triangle filter that also averages when it reduces ("bilinear" with
// antialiasing), and the middle of the longer side is kept. The arithmetic is that of Pillow: integer weights of 22
// bits, rows first, and a rounding to bytes between the two passes.
#ifndef LOCKSTEP_LIB_CIFAR_RESIZE_PICTURE_H_
#define LOCKSTEP_LIB_CIFAR_RESIZE_PICTURE_H_

#include <cstdint>

#include "lib/cifar/picture.h"

namespace lockstep {

// Makes `picture` side x side. `scratch` keeps its memory for the next picture. Both sides of `picture` and `side` must
// be at least 1.
void ResizePicture(uint32_t side, DecodedPicture& picture, DecodedPicture& scratch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_RESIZE_PICTURE_H_
