// A weighted layer's weights in the order in which the implicit product's tiles read them.
//
// A row of (outputs, depth) holds one output's weights, tap by tap, each with the input's padded channels; the depth is
// rounded up to whole steps, the rows to whole tiles, with zeros. Rows are in such an order that the outputs of one
// thread's sums are neighbours in memory.
#ifndef LOCKSTEP_LIB_INT8_CUDA_PACKED_WEIGHTS_H_
#define LOCKSTEP_LIB_INT8_CUDA_PACKED_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cuda/implicit_product.h"

namespace lockstep {

// Products of one output, as they are multiplied: a multiple of kStepBytes.
uint32_t PackedDepth(const LayerShape& shape);
// Rows, with those of zeros.
uint32_t PackedRows(const LayerShape& shape);

// The output whose weights are in row `row`, the inverse of RowOfOutput; one at or above the layer's outputs has zeros.
uint32_t OutputOfRow(ProductKind kind, uint32_t row);

// int8 (PackedRows, PackedDepth).
std::vector<int8_t> PackWeightsFor(ProductKind kind, const IntegerLayer& layer);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_PACKED_WEIGHTS_H_
