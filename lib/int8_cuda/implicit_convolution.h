// Any weighted layer as an implicit matrix product (implicit_product.h).
#ifndef LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_CONVOLUTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/packed_weights.h"

namespace lockstep {

// Makes the layer on the current device, which must have the instruction of `kind`. Returns ResourceExhaustedError if
// there is no memory for the weights.
absl::StatusOr<std::unique_ptr<CudaConvolution>> MakeImplicitConvolution(const ConvolutionTask& task, ProductKind kind);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_CONVOLUTION_H_
