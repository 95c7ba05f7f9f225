// Computation of one layer of LayerFactors, shared by the kernel and its reference. Fused multiply-adds occur only
// where they are written. (nvcc could fuse a product with a sum, but here a root or a quotient always separates them.)
#ifndef LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_ELEMENT_H_
#define LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_ELEMENT_H_

#include <cuda_runtime.h>

#include <cmath>

namespace lockstep {

// Returns |scale * v|, given the sum of the squares of v.
__host__ __device__ inline double NormOf(double squares, double scale) { return sqrt(squares * (scale * scale)); }

// Returns the factor that clips a gradient of this norm; 1 if clip_norm is 0. Returns NaN if the norm is NaN.
__host__ __device__ inline double ClipFactor(double gradient_norm, double clip_norm) {
  if (clip_norm == 0) {
    return 1;
  }
  const double factor = clip_norm / (gradient_norm + 1e-6);  // 1e-6 as in torch.nn.utils.clip_grad_norm_
  return factor >= 1 ? 1 : factor;
}

// Returns the local rate of LARS for a layer; 1 if `lars` or one of the norms is 0. `gradient` is the norm of the
// clipped gradient.
__host__ __device__ inline double LocalRate(double weight, double gradient, double lars, double weight_decay) {
  return lars == 0 || weight == 0 || gradient == 0 ? 1 : lars * weight / fma(weight_decay, weight, gradient);
}

// Returns the factor of a layer's weights. `is_local`: LARS gives this layer a local rate; without one, LARS does not
// decay the layer.
__host__ __device__ inline double DecayFactor(double local, double lars, bool is_local, double weight_decay) {
  return lars == 0 || is_local ? weight_decay * local : 0;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_ELEMENT_H_
