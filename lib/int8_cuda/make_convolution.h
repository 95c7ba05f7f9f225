// Choice of a weighted layer's kernel, by the layer's shape and the instructions.
#ifndef LOCKSTEP_LIB_INT8_CUDA_MAKE_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CUDA_MAKE_CONVOLUTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/gpu_isa.h"

namespace lockstep {

// Makes a layer on the current device, which must have `isa`. With kWgmma, layers that HopperConvolution does not cover
// run by mma.sync. Returns ResourceExhaustedError if there is no memory for the weights.
absl::StatusOr<std::unique_ptr<CudaConvolution>> MakeCudaConvolution(const ConvolutionTask& task, GpuIsa isa);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_MAKE_CONVOLUTION_H_
