#include "lib/int8_cuda/make_convolution.h"

#include "lib/int8_cuda/hopper_convolution.h"
#include "lib/int8_cuda/implicit_convolution.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<CudaConvolution>> MakeCudaConvolution(const ConvolutionTask& task, GpuIsa isa) {
  if (isa == GpuIsa::kWgmma && HopperCovers(task)) {
    return HopperConvolution::Make(task);
  }
  return MakeImplicitConvolution(task, isa == GpuIsa::kDp4a ? ProductKind::kQuads : ProductKind::kTensorCores);
}

}  // namespace lockstep
