// One block with one thread per layer: a few kilobytes are read, so the time is that of a launch.
#include "lib/kernels/layer_factors.h"
#include "lib/kernels/layer_factors_element.h"
#include "lib/kernels/layer_squares.h"

namespace lockstep {
namespace {

// Returns the sum of the parts of one layer, added in order.
__device__ double SumOfParts(const double* squares, uint32_t layer) {
  double sum = 0;
  for (uint32_t part = 0; part < kSquareParts; ++part) {
    sum += squares[layer * kSquareParts + part];
  }
  return sum;
}

__global__ void __launch_bounds__(kMaxLayers) FactorsKernel(LayerFactorsInput input) {
  __shared__ double of_layer[kMaxLayers];
  const uint32_t layer = threadIdx.x;
  if (layer < input.layers) {
    of_layer[layer] = SumOfParts(input.gradient_squares, layer);
  }
  __syncthreads();
  if (layer >= input.layers) {
    return;
  }
  double all = 0;  // each thread adds them up in the same order
  for (uint32_t l = 0; l < input.layers; ++l) {
    all += of_layer[l];
  }
  const double scale = input.gradient_scale;
  const double clip = ClipFactor(NormOf(all, scale), input.clip_norm);
  double local = 1;
  if (input.lars != 0 && layer < input.local_layers) {
    local = LocalRate(NormOf(SumOfParts(input.weight_squares, layer), 1), clip * NormOf(of_layer[layer], scale),
                      input.lars, input.weight_decay);
  }
  input.factors[2 * layer] = static_cast<float>(scale * clip * local);
  input.factors[2 * layer + 1] =
      static_cast<float>(DecayFactor(local, input.lars, layer < input.local_layers, input.weight_decay));
}

}  // namespace

cudaError_t LayerFactors(const LayerFactorsInput& input, cudaStream_t stream) {
  if (input.layers == 0) {
    return cudaSuccess;
  }
  if (input.layers > kMaxLayers || input.local_layers > input.layers) {
    return cudaErrorInvalidValue;
  }
  FactorsKernel<<<1, kMaxLayers, 0, stream>>>(input);
  return cudaGetLastError();
}

}  // namespace lockstep
