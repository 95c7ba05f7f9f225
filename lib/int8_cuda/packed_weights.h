// Weights of a weighted layer, in the order in which the tiles of the implicit product read them.
//
// A row of (outputs, depth) holds one output's weights, tap by tap, each with the input's padded channels. Zeros pad
// the depth to whole steps and the rows to whole tiles. The order of the rows makes the outputs of one thread's sums
// neighbours in memory.
#ifndef LOCKSTEP_LIB_INT8_CUDA_PACKED_WEIGHTS_H_
#define LOCKSTEP_LIB_INT8_CUDA_PACKED_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cuda/implicit_product.h"

namespace lockstep {

// Returns the number of products of one output, including padding: a multiple of kStepBytes.
uint32_t PackedDepth(const LayerShape& shape);
// Returns the number of rows, including rows of zeros.
uint32_t PackedRows(const LayerShape& shape);

// Returns the output whose weights are in row `row`, the inverse of RowOfOutput. Outputs beyond the layer's have zeros.
uint32_t OutputOfRow(ProductKind kind, uint32_t row);

// Returns int8 (PackedRows, PackedDepth).
std::vector<int8_t> PackWeightsFor(ProductKind kind, const IntegerLayer& layer);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_PACKED_WEIGHTS_H_
