// Kernels of HopperKind::kHalved.
#include "lib/int8_cuda/hopper_kernel.cuh"

namespace lockstep {
namespace hopper {

HopperKernel HalvedKernel(const HopperLaunch& launch) { return ChooseOfKind<HopperKind::kHalved>(launch); }

}  // namespace hopper
}  // namespace lockstep
