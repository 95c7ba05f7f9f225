// One element of SgdStep, for the kernel and its twin: fused multiply-adds where written, and nowhere else.
#ifndef LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_
#define LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_

#include <cuda_runtime.h>

#include <cmath>

namespace lockstep {

__host__ __device__ inline void SgdElement(float gradient, float learning_rate, float momentum, float weight_decay,
                                           float& parameter, float& velocity) {
  velocity = fmaf(momentum, velocity, fmaf(weight_decay, parameter, gradient));
  parameter = fmaf(-learning_rate, velocity, parameter);
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SGD_ELEMENT_H_
