// Limits of quantize: the classes and images that its int8 networks accept, for all code that plans or suggests it.
#ifndef LOCKSTEP_LIB_NETWORKS_INT8_SHAPE_H_
#define LOCKSTEP_LIB_NETWORKS_INT8_SHAPE_H_

#include <cstdint>
#include <string>

namespace lockstep {

// Number of classes, and height and width in pixels, of the data sets that quantize accepts. Its kernels are written
// for the layers of networks of this shape (lib/int8/network.h).
inline constexpr int64_t kInt8Classes = 10;
inline constexpr int64_t kInt8ImageSize = 32;

// Returns true if quantize accepts a data set of this shape.
constexpr bool IsInt8Shape(int64_t classes, int64_t height, int64_t width) {
  return classes == kInt8Classes && height == kInt8ImageSize && width == kInt8ImageSize;
}

// Returns "100 classes of 64x48 pixels", height first.
std::string ClassesAndPixels(int64_t classes, int64_t height, int64_t width);

// Returns the only shape that quantize accepts, in the same form.
std::string Int8ShapeText();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NETWORKS_INT8_SHAPE_H_
