// The backward pass of a batch norm in one launch, for few rows: BatchNormBackwardReduce and BatchNormBackwardApply
// (batch_norm.h) for bf16. With few rows those two launches take most of their time to begin and to end.
#ifndef LOCKSTEP_LIB_KERNELS_BATCH_NORM_BACKWARD_H_
#define LOCKSTEP_LIB_KERNELS_BATCH_NORM_BACKWARD_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "lib/kernels/batch_norm.h"

namespace lockstep {

// Maximum number of rows. The registers of a block hold all rows of its channels.
inline constexpr uint32_t kMaxBatchNormBackwardRows = 1024;

// Writes `gradients`, dx: (rows, channels), which may be x, and, unless null, dresidual: (rows, channels). The sums are
// added up in another order than by BatchNormBackwardReduce, which depends only on the shape. Returns the launch's
// error, or cudaErrorInvalidValue for an unsupported shape or if upstream.dy2 is not null.
cudaError_t BatchNormBackwardAtOnce(const BatchNormShape& shape, const __nv_bfloat16* x,
                                    const BatchNormUpstream<__nv_bfloat16>& upstream, const BatchNormState& state,
                                    const BatchNormGradients& gradients, __nv_bfloat16* dx, __nv_bfloat16* dresidual,
                                    cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_BATCH_NORM_BACKWARD_H_
