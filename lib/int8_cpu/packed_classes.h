// PackedClasses: the classes of a layer's output pixels, with the data for their tiles.
#ifndef LOCKSTEP_LIB_INT8_CPU_PACKED_CLASSES_H_
#define LOCKSTEP_LIB_INT8_CPU_PACKED_CLASSES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/packed_shape.h"
#include "lib/int8_cpu/step_layout.h"
#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/window_class.h"

namespace lockstep {

struct PackedClass {
  WindowClass window;
  std::vector<TapRun> runs;
  std::vector<int32_t> start;          // (outputs, rounded up to whole panels)
  std::vector<const RealSteps*> real;  // real steps of each pixel, if padding is copied; else empty
};

class PackedClasses {
 public:
  // Adds the columns of all classes to `layout`. `input_zero_point`: zero point of the layer's input.
  PackedClasses(const IntegerLayer& layer, const PackedShape& shape, int32_t input_zero_point,
                const TileKernels& kernels, StepLayout& layout);

  PackedClasses(const PackedClasses&) = delete;
  PackedClasses& operator=(const PackedClasses&) = delete;

  const std::vector<PackedClass>& Classes() const { return classes_; }

  // Returns all pixels as one class if it is faster for `count` images, else null. Taps that are not real are copied as
  // the zero point. For kernels that copy, and for so few images that most classes fill no tile.
  const PackedClass* Padded(size_t count) const;

 private:
  void AddPadded(const LayerShape& shape, uint32_t tap_steps);
  void MergePixels(const PackedShape& shape, uint32_t outputs);
  size_t TileSteps(const PackedClass& packed, size_t count) const;

  const uint32_t tile_pixels_;
  std::vector<PackedClass> classes_;
  std::optional<PackedClass> padded_;
  std::vector<RealSteps> real_steps_;  // one per class
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_PACKED_CLASSES_H_
