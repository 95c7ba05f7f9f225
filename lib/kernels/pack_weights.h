// A convolution's weights between LibTorch's order (K, C, R, S) and the one that channels-last kernels read, (K, R, S,
// C), with zeros behind each filter where a kernel wants more of it than the network has (the first one has 27 weights).
//
// Both are fp32 on the host, K output channels of C input channels, R rows and S columns of a filter. A fully connected
// layer's weights (K, C) are the same in both orders.
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
  uint32_t zeros = 0;           // of packed weights alone, behind the R * S * C of each output channel
};

// Floats of the network's weights, (K, C, R, S), and of packed ones, (K, R * S * C + zeros).
size_t WeightCount(const WeightShape& shape);
size_t PackedWeightCount(const WeightShape& shape);

// Writes all PackedWeightCount floats of `packed`. The two must not overlap.
void PackWeights(const WeightShape& shape, const float* weights, float* packed);

// Writes all WeightCount floats of `weights`; what stands among the zeros is dropped. The two must not overlap.
void UnpackWeights(const WeightShape& shape, const float* packed, float* weights);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PACK_WEIGHTS_H_
