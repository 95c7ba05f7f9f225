// Which way a weighted layer is computed, by its shape and the instructions.
#ifndef LOCKSTEP_LIB_INT8_CUDA_MAKE_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CUDA_MAKE_CONVOLUTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/gpu_isa.h"

namespace lockstep {

// The current device must have `isa`. With kWgmma, layers of other shapes than it takes are done by mma.sync.
// ResourceExhausted: there is no memory for the weights.
absl::StatusOr<std::unique_ptr<CudaConvolution>> MakeCudaConvolution(const ConvolutionTask& task, GpuIsa isa);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_MAKE_CONVOLUTION_H_
