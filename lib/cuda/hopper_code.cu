#include "lib/cuda/code_probe.h"

namespace lockstep {
namespace {

__global__ void HopperCodeKernel() {}

}  // namespace

cudaError_t FindHopperCode(cudaFuncAttributes* attributes) {
#ifdef LOCKSTEP_CODE_LEFT_OUT
  return cudaErrorNoKernelImageForDevice;
#else
  return cudaFuncGetAttributes(attributes, HopperCodeKernel);
#endif
}

}  // namespace lockstep
