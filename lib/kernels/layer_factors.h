// What SGD multiplies each layer's gradient and weight decay with, where an update waits for norms: clipping, as
// torch.nn.utils.clip_grad_norm_, and LARS (You, Gitman, Ginsburg 2017, arXiv 1708.03888; the variant of
// lib/train/lars.h), in this order.
//
//   clip  = min(1, clip_norm / (|g| + 1e-6)), |g| over all layers;            1 without clip_norm
//   local = lars * |w_l| / (clip * |g_l| + weight_decay * |w_l|) of layer l;  1 without lars, for other layers than the
//           first `local_layers`, and where |w_l| or |g_l| is 0
//   factors of layer l: gradient_scale * clip * local, weight_decay * local; with lars the latter is 0 for other layers
//           than the first `local_layers`
//
// g is gradient_scale times the numbers whose squares were summed. All in fp64, the factors rounded to fp32.
#ifndef LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_H_
#define LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

// Pointers are of the device (of the host for the reference).
struct LayerFactorsInput {
  uint32_t layers = 0;                       // at most kMaxLayers (layer_squares.h); 0: nothing is done
  uint32_t local_layers = 0;                 // the first of them, which have local rates; with lars, the others have
                                             // no weight decay
  const double* gradient_squares = nullptr;  // fp64 (layers, kSquareParts)
  const double* weight_squares = nullptr;    // fp64 (local_layers, kSquareParts); without lars not looked at
  float gradient_scale = 1;
  float clip_norm = 0;  // 0: gradients are not clipped
  float lars = 0;       // 0: no local rates
  float weight_decay = 0;
  float* factors = nullptr;  // fp32 (layers, 2): of the gradient, of the weight
};

// One small launch. Returns its error, or cudaErrorInvalidValue for too many layers; runs on `stream`.
cudaError_t LayerFactors(const LayerFactorsInput& input, cudaStream_t stream);

// The same on the host, bit for bit: both use the operations of layer_factors_element.h.
void LayerFactorsReference(const LayerFactorsInput& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAYER_FACTORS_H_
