// One layer of LayerFactors, for the kernel and its twin: fused multiply-adds where written, and nowhere else. (No
// product here meets a sum without a root or a quotient between them, of which nvcc would make one.)
#ifndef LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_ELEMENT_H_
#define LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_ELEMENT_H_

#include <cuda_runtime.h>

#include <cmath>

namespace lockstep {

// |scale * v| from the sum of v's squares.
__host__ __device__ inline double NormOf(double squares, double scale) { return sqrt(squares * (scale * scale)); }

// What a gradient of this norm is clipped by; 1 when clip_norm is 0. Of a norm that is NaN it is NaN.
__host__ __device__ inline double ClipFactor(double norm, double clip_norm) {
  if (clip_norm == 0) {
    return 1;
  }
  const double factor = clip_norm / (norm + 1e-6);  // 1e-6: torch.nn.utils.clip_grad_norm_'s
  return factor >= 1 ? 1 : factor;
}

// LARS' local rate of a layer; 1 when `lars`, or one of the norms, is 0. `gradient` is the clipped gradient's norm.
__host__ __device__ inline double LocalRate(double weight, double gradient, double lars, double weight_decay) {
  return lars == 0 || weight == 0 || gradient == 0 ? 1 : lars * weight / fma(weight_decay, weight, gradient);
}

// The factor of a layer's weights. `is_local`: it is one of those that LARS gives local rates; it decays no others.
__host__ __device__ inline double DecayFactor(double local, double lars, bool is_local, double weight_decay) {
  return lars == 0 || is_local ? weight_decay * local : 0;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_ELEMENT_H_
