// One element of SgdStep, for the kernel and its twin: fused multiply-adds where written, and nowhere else. (Of
// velocity + share nvcc would make one: __fmul_rn keeps the product by itself.)
#ifndef LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_
#define LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_

#include <cuda_runtime.h>

#include <cmath>

namespace lockstep {

// `gradient` as it came; the rest as in SgdInput.
struct SgdElementInput {
  float rate, momentum, weight_decay, gradient_scale;
  bool first, last;
};

__host__ __device__ inline void SgdElement(const SgdElementInput& input, float gradient, float& parameter,
                                           float& velocity) {
#ifdef __CUDA_ARCH__
  const float share = __fmul_rn(input.gradient_scale, gradient);  // times 1: exact
#else
  const float share = input.gradient_scale * gradient;
#endif
  velocity =
      input.first ? fmaf(input.momentum, velocity, fmaf(input.weight_decay, parameter, share)) : velocity + share;
  if (input.last) {
    parameter = fmaf(-input.rate, velocity, parameter);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_
