// Sums of squares of a flat array, layer by layer, of which layer_factors.h makes norms: in fp64, where the square of an
// fp32 or bf16 number is exact, in an order that depends on the layers' sizes alone. The same input gives the same
// output, bit for bit, on every run and on every GPU.
#ifndef LOCKSTEP_LIB_KERNELS_LAYER_SQUARES_H_
#define LOCKSTEP_LIB_KERNELS_LAYER_SQUARES_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kMaxLayers = 64;
inline constexpr uint32_t kSquareParts = 32;     // of a layer's sum: a block of threads each
inline constexpr uint32_t kSquareThreads = 256;  // of a block; a power of two

// Layer l has the elements begin[l] ... begin[l + 1] - 1 of its array.
struct LayerTable {
  uint32_t layers = 0;  // at most kMaxLayers; 0: nothing is done
  uint64_t begin[kMaxLayers + 1] = {};
};

// Pointers are of the device (of the host for the reference). G: float or __nv_bfloat16.
template <typename G>
struct LayerSquaresInput {
  LayerTable table;
  const G* values = nullptr;
  double* squares = nullptr;  // fp64 (layers, kSquareParts): parts of each layer's sum
};

// Returns the launch's error, or cudaErrorInvalidValue for too many layers; runs on `stream`.
template <typename G>
cudaError_t LayerSquares(const LayerSquaresInput<G>& input, cudaStream_t stream);

// The same on the host, bit for bit.
template <typename G>
void LayerSquaresReference(const LayerSquaresInput<G>& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_LAYER_SQUARES_H_
