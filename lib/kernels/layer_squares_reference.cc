#include <vector>

#include "lib/kernels/layer_squares.h"

namespace lockstep {

template <typename G>
void LayerSquaresReference(const LayerSquaresInput<G>& input) {
  for (uint32_t layer = 0; layer < input.table.layers; ++layer) {
    for (uint32_t part = 0; part < kSquareParts; ++part) {
      std::vector<double> of_thread(kSquareThreads);
      for (uint32_t thread = 0; thread < kSquareThreads; ++thread) {
        for (uint64_t i = input.table.begin[layer] + part * kSquareThreads + thread; i < input.table.begin[layer + 1];
             i += kSquareParts * kSquareThreads) {
          const double value = static_cast<double>(static_cast<float>(input.values[i]));
          of_thread[thread] += value * value;
        }
      }
      for (uint32_t half = kSquareThreads / 2; half > 0; half /= 2) {
        for (uint32_t thread = 0; thread < half; ++thread) {
          of_thread[thread] += of_thread[thread + half];
        }
      }
      input.squares[layer * kSquareParts + part] = of_thread[0];
    }
  }
}

template void LayerSquaresReference(const LayerSquaresInput<float>&);
template void LayerSquaresReference(const LayerSquaresInput<__nv_bfloat16>&);

}  // namespace lockstep
