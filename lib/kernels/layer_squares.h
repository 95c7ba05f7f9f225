// Sums the squares of a flat array, layer by layer; layer_factors.h computes norms from them. Sums are in fp64, where
// the square of an fp32 or bf16 number is exact, in an order that depends only on the layers' sizes. The same input
// gives the same output, bit for bit, on every run and every GPU.
#ifndef LOCKSTEP_LIB_KERNELS_LAYER_SQUARES_H_
#define LOCKSTEP_LIB_KERNELS_LAYER_SQUARES_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kMaxLayers = 64;
inline constexpr uint32_t kSquareParts = 32;     // parts of a layer's sum; each is computed by one block
inline constexpr uint32_t kSquareThreads = 256;  // threads per block; a power of two

// Positions of the layers: layer l has the elements begin[l] ... begin[l + 1] - 1 of its array.
struct LayerTable {
  uint32_t layers = 0;  // at most kMaxLayers; 0 does nothing
  uint64_t begin[kMaxLayers + 1] = {};
};

// Input of LayerSquares. All pointers must be device pointers (host pointers for the reference). G: float or
// __nv_bfloat16.
template <typename G>
struct LayerSquaresInput {
  LayerTable table;
  const G* values = nullptr;
  double* squares = nullptr;  // fp64 (layers, kSquareParts): partial sums of each layer
};

// Computes the partial sums on `stream`. Returns the launch's error, or cudaErrorInvalidValue for too many layers.
template <typename G>
cudaError_t LayerSquares(const LayerSquaresInput<G>& input, cudaStream_t stream);

// Reference on the host, equal bit for bit.
template <typename G>
void LayerSquaresReference(const LayerSquaresInput<G>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAYER_SQUARES_H_
