// Kernels of HopperKind::kSame and kPoints.
#include "lib/int8_cuda/hopper_kernel.cuh"

namespace lockstep {
namespace hopper {

HopperKernel SameOrPointsKernel(const HopperLaunch& launch) {
  if (launch.kind == HopperKind::kPoints) {
    return ChooseOfKind<HopperKind::kPoints>(launch);
  }
  return launch.line == 64 ? nullptr : ChooseOfLine<HopperKind::kSame, 128>(launch);
}

}  // namespace hopper
}  // namespace lockstep
