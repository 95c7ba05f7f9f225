// Limits of quantize: the classes and images that its int8 networks accept, and the accuracy from which on a loss can
// be judged, for all code that plans, suggests or reports it.
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

// Returns true if a network of so few right answers, as a share in [0, 1], has learned little: less than twice as many
// as by chance.
constexpr bool IsNearChance(double accuracy) { return accuracy * static_cast<double>(kInt8Classes) < 2; }

// Returns "100 classes of 64x48 pixels", height first.
std::string ClassesAndPixels(int64_t classes, int64_t height, int64_t width);

// Returns the only shape that quantize accepts, in the same form.
std::string Int8ShapeText();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NETWORKS_INT8_SHAPE_H_
