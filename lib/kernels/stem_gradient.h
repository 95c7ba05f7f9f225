// The weight gradient of the first convolution, which is done as one of 1x1 over patches, straight from the gradient of
// what its batch norm gives:
//
//   dw = sum over rows of (on_g * g + on_x * x + constant)^T * patch
//
// BatchNormBackwardApply and the weight gradient in one: that of the batch norm's input, which nobody else wants, does
// not go through memory. It is rounded to bf16 as it would be there; sums are in fp32, in an order that depends on the
// number of rows alone.
//
// Plain twin: stem_gradient_reference.h.
#ifndef LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_H_
#define LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/batch_norm.h"

namespace lockstep {

inline constexpr uint32_t kStemGradientChannels = 64;  // of x and g
inline constexpr uint32_t kStemGradientPatch = 32;     // numbers of a patch
inline constexpr uint32_t kStemGradientRows = 64;      // whose multiples are covered

// Bytes of device memory for StemGradient's `workspace`, of any content.
size_t StemGradientWorkspaceBytes();

// x: (rows, 64), the batch norm's input; g: (rows, 64), the gradient of its output, masked; patches: (rows, 32);
// dw: (64, 32); all at multiples of 16 bytes. of_norm: on_g, on_x and constant are read. cudaErrorInvalidValue: rows
// not a multiple of kStemGradientRows.
cudaError_t StemGradient(uint32_t rows, const __nv_bfloat16* x, const __nv_bfloat16* g,
                         const BatchNormGradients& of_norm, const __nv_bfloat16* patches, __nv_bfloat16* dw,
                         void* workspace, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_H_
