// WindowClass: the output pixels of a convolution, grouped by the real taps of their window.
//
// Pixels of one class have the same taps on the input, so that they can share a tile and skip the padding at no cost.
// Without padding there is one class; a 3 x 3 kernel padded by 1 has nine: the inside, four edges, four corners.
#ifndef LOCKSTEP_LIB_INT8_CPU_WINDOW_CLASS_H_
#define LOCKSTEP_LIB_INT8_CPU_WINDOW_CLASS_H_

#include <cstdint>
#include <vector>

#include "lib/int8/network.h"

namespace lockstep {

struct TapRange {
  uint32_t first = 0;
  uint32_t last = 0;  // one after the last

  uint32_t Count() const { return last - first; }
  bool operator==(const TapRange& other) const { return first == other.first && last == other.last; }
};

// Offsets in values from the first value of an image.
struct PixelPlace {
  uint32_t input;   // first channel of the first real tap
  uint32_t output;  // first output of the pixel
};

struct WindowClass {
  TapRange rows;
  TapRange columns;
  std::vector<PixelPlace> pixels;
};

// Outputs of the pixels. kPooled: those of max-pooling, and the shape.pool * shape.pool pixels of a pooling window are
// consecutive, all with that window's output.
enum class PixelOutputs { kOwn, kPooled };

// Returns the classes. `outputs` must be kOwn unless CanPoolInOrder().
std::vector<WindowClass> WindowClasses(const LayerShape& shape, PixelOutputs outputs);

// Returns true if all pixels of each max-pooling window have the same real taps: no padding.
inline bool CanPoolInOrder(const LayerShape& shape) { return shape.pool != 0 && shape.padding == 0; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_WINDOW_CLASS_H_
