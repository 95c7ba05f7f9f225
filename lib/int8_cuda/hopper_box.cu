// Kernels of HopperKind::kBox and kStem.
#include "lib/int8_cuda/hopper_kernel.cuh"

namespace lockstep {
namespace hopper {

HopperKernel BoxOrStemKernel(const HopperLaunch& launch) {
  return launch.kind == HopperKind::kBox ? ChooseOfKind<HopperKind::kBox>(launch)
                                         : ChooseOfLine<HopperKind::kStem, 64>(launch);
}

}  // namespace hopper
}  // namespace lockstep
