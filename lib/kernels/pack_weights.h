// Reorders a convolution's weights between LibTorch's order (K, C, R, S) and the order that channels-last kernels read,
// (K, R, S, C). Zeros follow each filter if a kernel needs a larger filter than the network has (the first filter has
// 27 weights).
//
// Both arrays are fp32 on the host: K output channels, C input channels, R rows and S columns of a filter. The weights
// (K, C) of a fully connected layer are the same in both orders.
#ifndef LOCKSTEP_LIB_KERNELS_PACK_WEIGHTS_H_
#define LOCKSTEP_LIB_KERNELS_PACK_WEIGHTS_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {

struct WeightShape {
  uint32_t out_channels = 0;    // K
  uint32_t in_channels = 0;     // C
  uint32_t filter_rows = 1;     // R
  uint32_t filter_columns = 1;  // S
  uint32_t zeros = 0;           // only in packed weights: zeros after the R * S * C weights of each output channel
};

// Returns the number of floats of the network's weights, (K, C, R, S), and of packed weights, (K, R * S * C + zeros).
size_t WeightCount(const WeightShape& shape);
size_t PackedWeightCount(const WeightShape& shape);

// Writes all PackedWeightCount floats of `packed`. The arrays must not overlap.
void PackWeights(const WeightShape& shape, const float* weights, float* packed);

// Writes all WeightCount floats of `weights`; ignores the values in place of the zeros. The arrays must not overlap.
void UnpackWeights(const WeightShape& shape, const float* packed, float* weights);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PACK_WEIGHTS_H_
