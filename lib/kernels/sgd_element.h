// Computation of one element of SgdStep, shared by the kernel and its reference. Fused multiply-adds occur only where
// they are written. (nvcc would fuse velocity + share: __fmul_rn keeps the product separate.)
#ifndef LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_
#define LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_

#include <cuda_runtime.h>

#include <cmath>

namespace lockstep {

// Parameters of one element's update, without its gradient; see SgdInput.
struct SgdElementInput {
  float rate, momentum, weight_decay, gradient_scale;
  bool first, last;
  bool nesterov;  // requires first and last
};

__host__ __device__ inline void SgdElement(const SgdElementInput& input, float gradient, float& parameter,
                                           float& velocity) {
#ifdef __CUDA_ARCH__
  const float share = __fmul_rn(input.gradient_scale, gradient);  // exact if gradient_scale is 1
#else
  const float share = input.gradient_scale * gradient;
#endif
  const float decayed = fmaf(input.weight_decay, parameter, share);
  velocity = input.first ? fmaf(input.momentum, velocity, decayed) : velocity + share;
  if (input.last) {
    const float update = input.nesterov ? fmaf(input.momentum, velocity, decayed) : velocity;
    parameter = fmaf(-input.rate, update, parameter);
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_
