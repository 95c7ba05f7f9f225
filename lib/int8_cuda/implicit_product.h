// ImplicitProduct: a weighted layer as a product of two matrices (implicit GEMM). The first matrix, (output pixels,
// taps and channels), is gathered from the input during the multiplication.
#ifndef LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_PRODUCT_H_
#define LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_PRODUCT_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "lib/int8_cuda/epilogue.h"

namespace lockstep {

inline constexpr uint32_t kStepBytes = 64;        // products of an output in shared memory at once
inline constexpr uint32_t kMaxTileOutputs = 128;  // outputs of the widest tile; must be a multiple of the other widths

// Instruction of the product: dp4a for kQuads, mma.sync.m16n8k32 for kTensorCores.
enum class ProductKind { kQuads, kTensorCores };

// Returns the row of the packed weights (packed_weights.h) that holds the weights of `output`.
constexpr uint32_t RowOfOutput(ProductKind kind, uint32_t output) {
  return kind == ProductKind::kQuads ? output / 64 * 64 + output % 4 * 16 + output % 64 / 4
                                     : output / 32 * 32 + output % 8 / 2 * 8 + output / 8 % 4 * 2 + output % 2;
}

// Tensors are in the layout of device_layout.h. Pointers must be aligned to 16 bytes.
struct ImplicitProduct {
  const int8_t* input = nullptr;    // (images, in_height, in_width, in_channels)
  const int8_t* weights = nullptr;  // packed weights (packed_weights.h)
  void* output = nullptr;           // int8 (pixels, epilogue.channels), or int32 (pixels, epilogue.outputs)
  uint32_t pixels = 0;              // output pixels of all images; at most 2^31
  uint32_t in_height = 0;
  uint32_t in_width = 0;
  uint32_t in_channels = 0;  // input channels with padding
  uint32_t out_width = 0;
  uint32_t kernel = 0;
  uint32_t stride = 0;
  uint32_t padding = 0;
  uint32_t depth = 0;  // result of PackedDepth
  Epilogue epilogue;
};

// Launches a product by dp4a, with weights packed for kQuads, or by tensor cores (compute capability 8.0 and later),
// with weights packed for kTensorCores. `multiprocessors`: SMs of the device, for which the tiles are chosen. Returns
// the launch's error.
cudaError_t LaunchQuadProduct(const ImplicitProduct& product, cudaStream_t stream);
cudaError_t LaunchTensorCoreProduct(const ImplicitProduct& product, uint32_t multiprocessors, cudaStream_t stream);

// Most images for LaunchDotProduct, which is faster than either if each output reads one whole image.
inline constexpr uint32_t kMaxDotImages = 8;
constexpr bool IsDotProduct(const ImplicitProduct& product) {
  return product.kernel == product.in_height && product.kernel == product.in_width && product.padding == 0 &&
         product.pixels <= kMaxDotImages;
}
// Launches a product for which IsDotProduct is true. `kind`: kind for which the weights are packed.
cudaError_t LaunchDotProduct(const ImplicitProduct& product, ProductKind kind, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_PRODUCT_H_
