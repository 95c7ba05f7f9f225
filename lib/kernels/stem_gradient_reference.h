// Reference implementation of stem_gradient.h on the host.
#ifndef LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_REFERENCE_H_
#define LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_REFERENCE_H_

#include <cuda_bf16.h>

#include <cstdint>
#include <vector>

namespace lockstep {

// Returns (64, 32), computed like StemGradient, except that the sums are in double and not rounded. of_batch_norm:
// on_g, on_x and constant, 64 each.
std::vector<double> StemGradientReference(uint32_t rows, const __nv_bfloat16* x, const __nv_bfloat16* g,
                                          const float* const (&of_batch_norm)[3], const __nv_bfloat16* patches);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_REFERENCE_H_
