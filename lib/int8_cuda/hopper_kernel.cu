// Launches the kernels of hopper_kernel.cuh.
#include "lib/int8_cuda/hopper_kernel.cuh"

namespace lockstep {

using namespace hopper;

namespace {

// Returns null if there is no kernel.
HopperKernel Choose(const HopperLaunch& launch) {
  switch (launch.kind) {
    case HopperKind::kBox:
    case HopperKind::kStem:
      return BoxOrStemKernel(launch);
    case HopperKind::kHalved:
      return HalvedKernel(launch);
    case HopperKind::kSame:
    case HopperKind::kPoints:
      return SameOrPointsKernel(launch);
  }
  return nullptr;
}

}  // namespace

uint32_t HopperSharedBytes(const HopperLaunch& launch, const HopperArguments& arguments) {
  const uint32_t groups = GroupsOf(launch.team, launch.pixels);
  const uint32_t weight_bytes = kChannels * (launch.team == HopperTeam::kTogether ? groups : 1) * launch.line;
  return SharedPlan(arguments.rings, weight_bytes, launch.pixels, groups, arguments.tiles.splits_log2 != 0).bytes +
         kPatternBytes;  // alignment to a pattern
}

cudaError_t LaunchHopperConvolution(const HopperLaunch& launch, const HopperMaps& maps,
                                    const HopperArguments& arguments, cudaStream_t stream) {
  const HopperKernel kernel = Choose(launch);
  if (kernel == nullptr || (arguments.tiles.splits_log2 != 0 && launch.team != HopperTeam::kAlone)) {
    return cudaErrorInvalidValue;
  }
  const uint32_t bytes = HopperSharedBytes(launch, arguments);
  if (const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
      error != cudaSuccess) {
    return error;
  }
  // Clusters of one block are not requested: with them, the blocks of one tile would not start together.
  return LaunchOverlapped(
      kernel, {dim3(launch.blocks), ThreadsOf(launch.team, launch.pixels), bytes, 1u << arguments.tiles.splits_log2},
      stream, maps, arguments);
}

}  // namespace lockstep
