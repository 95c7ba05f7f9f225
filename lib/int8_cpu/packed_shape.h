// PackedShape: the shape of a layer's kernel as it is packed, rows of consecutive values, and what one tile does.
#ifndef LOCKSTEP_LIB_INT8_CPU_PACKED_SHAPE_H_
#define LOCKSTEP_LIB_INT8_CPU_PACKED_SHAPE_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

struct PackedShape {
  bool pools = false;  // max-pooling comes before scaling
  size_t window = 1;   // pixels that make one output
  // Number of output pixels of a row that are computed as one pixel with as many times the outputs: 2 if both are
  // pooled together and few outputs leave room in a vector. Their common kernel is wider, and reads less than two
  // kernels.
  uint32_t merged = 1;
  uint32_t rows = 1;  // one row if the kernel is as wide as the input
  uint32_t row_columns = 1;
  uint32_t column_terms = 1;
};

inline uint32_t DividedUp(size_t value, size_t by) { return static_cast<uint32_t>((value + by - 1) / by); }

PackedShape MakePackedShape(const IntegerLayer& layer, const TileKernels& kernels);

// Returns a weight of the packed kernel, to which `output`, `row` and `term` refer.
int8_t PackedWeight(const IntegerLayer& layer, const PackedShape& shape, uint32_t output, uint32_t row, size_t term);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_PACKED_SHAPE_H_
