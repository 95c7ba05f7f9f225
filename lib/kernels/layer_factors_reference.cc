#include "lib/kernels/layer_factors.h"
#include "lib/kernels/layer_factors_element.h"
#include "lib/kernels/layer_squares.h"

namespace lockstep {
namespace {

double SumOfParts(const double* squares, uint32_t layer) {
  double sum = 0;
  for (uint32_t part = 0; part < kSquareParts; ++part) {
    sum += squares[layer * kSquareParts + part];
  }
  return sum;
}

}  // namespace

void LayerFactorsReference(const LayerFactorsInput& input) {
  double all = 0;
  for (uint32_t layer = 0; layer < input.layers; ++layer) {
    all += SumOfParts(input.gradient_squares, layer);
  }
  const double scale = input.gradient_scale;
  const double clip = ClipFactor(NormOf(all, scale), input.clip_norm);
  for (uint32_t layer = 0; layer < input.layers; ++layer) {
    double local = 1;
    if (input.lars != 0 && layer < input.local_layers) {
      const double gradient = clip * NormOf(SumOfParts(input.gradient_squares, layer), scale);
      local = LocalRate(NormOf(SumOfParts(input.weight_squares, layer), 1), gradient, input.lars, input.weight_decay);
    }
    input.factors[2 * layer] = static_cast<float>(scale * clip * local);
    input.factors[2 * layer + 1] =
        static_cast<float>(DecayFactor(local, input.lars, layer < input.local_layers, input.weight_decay));
  }
}

}  // namespace lockstep
