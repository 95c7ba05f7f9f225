// Computes the weight gradient of the first convolution, which runs as a 1x1 convolution over patches, directly from
// the gradient of its batch norm's output:
//
//   dw = sum over rows of (on_g * g + on_x * x + constant)^T * patch
//
// This fuses BatchNormBackwardApply and the weight gradient: the gradient of the batch norm's input, which nothing else
// needs, does not go through memory. It is rounded to bf16 as it would be there; sums are in fp32, in an order that
// depends only on the number of rows.
//
// Reference: stem_gradient_reference.h.
#ifndef LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_H_
#define LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/batch_norm.h"

namespace lockstep {

inline constexpr uint32_t kStemGradientChannels = 64;  // channels of x and g
inline constexpr uint32_t kStemGradientPatch = 32;     // elements of a patch
inline constexpr uint32_t kStemGradientRows = 64;      // the number of rows must be a multiple of this

// Returns the bytes of device memory for StemGradient's `workspace`, of any content.
size_t StemGradientWorkspaceBytes();

// Writes dw: (64, 32). x: (rows, 64), the batch norm's input; g: (rows, 64), the masked gradient of its output;
// patches: (rows, 32); all aligned to 16 bytes. of_batch_norm: on_g, on_x and constant are read. Returns
// cudaErrorInvalidValue unless rows is a positive multiple of kStemGradientRows.
cudaError_t StemGradient(uint32_t rows, const __nv_bfloat16* x, const __nv_bfloat16* g,
                         const BatchNormGradients& of_batch_norm, const __nv_bfloat16* patches, __nv_bfloat16* dw,
                         void* workspace, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_STEM_GRADIENT_H_
