// Computes the factors by which SGD multiplies each layer's gradient and weight decay if the update depends on norms:
// gradient clipping as in torch.nn.utils.clip_grad_norm_, then LARS (You, Gitman, Ginsburg 2017, arXiv 1708.03888; the
// variant of lib/train/lars.h).
//
//   clip  = min(1, clip_norm / (|g| + 1e-6)), |g| over all layers;            1 without clip_norm
//   local = lars * |w_l| / (clip * |g_l| + weight_decay * |w_l|) of layer l;  1 without lars, for layers after the
//           first `local_layers`, and if |w_l| or |g_l| is 0
//   factors of layer l: gradient_scale * clip * local, weight_decay * local; with lars the latter is 0 for layers after
//           the first `local_layers`
//
// g is gradient_scale times the values whose squares were summed. All computations are in fp64; the factors are rounded
// to fp32.
#ifndef LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_H_
#define LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// Input of LayerFactors. All pointers must be device pointers (host pointers for the reference).
struct LayerFactorsInput {
  uint32_t layers = 0;  // at most kMaxLayers (layer_squares.h); 0 does nothing
  // Number of leading layers with local rates. With lars, the other layers have no weight decay.
  uint32_t local_layers = 0;
  const double* gradient_squares = nullptr;  // fp64 (layers, kSquareParts)
  const double* weight_squares = nullptr;    // fp64 (local_layers, kSquareParts); without lars not read
  float gradient_scale = 1;
  float clip_norm = 0;  // 0: no clipping
  float lars = 0;       // 0: no local rates
  float weight_decay = 0;
  float* factors = nullptr;  // fp32 (layers, 2): factors of the gradient and of the weight
};

// Computes the factors in one small launch on `stream`. Returns the launch's error, or cudaErrorInvalidValue if layers
// > kMaxLayers or local_layers > layers.
cudaError_t LayerFactors(const LayerFactorsInput& input, cudaStream_t stream);

// Reference on the host, equal bit for bit: both use the operations of layer_factors_element.h.
void LayerFactorsReference(const LayerFactorsInput& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_H_
