// The clock counts in registers of every thread; the first thread of each group writes its counts when the block ends.
// A clock read orders memory accesses and barriers, but not arithmetic. Therefore AwaitNeeded makes an instruction with
// an effect depend on the values that must exist by then.
//
// The kernels are those of the step with these differences: the clock's own instructions (a read and an addition per
// lap), the dependence on loaded values and on the sums, and stores that follow all of a pass's arithmetic.
#include "benchmarks/convolution_laps.h"
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/kernels/convolution_batch_norm_consume.cuh"

namespace lockstep {
namespace {

using namespace convolution_batch_norm;

__device__ BlockLaps* laps_of_launch;

class LapClock {
 public:
  static constexpr bool kRuns = true;

  __device__ LapClock() : block_begin_(Now()), block_begin_nanoseconds_(Nanoseconds()) {}

  __device__ void Start() {
    last_ = Now();
    laps_.begin = last_ - block_begin_;
  }
  __device__ void End(Lap lap) {
    const uint32_t now = Now();
    laps_.cycles[static_cast<uint32_t>(lap)] += now - last_;
    last_ = now;
  }
  __device__ void EndTile() {
    if (laps_.tiles++ == 0) {  // the first tile waits for operands whose copies have only just begun
#pragma unroll
      for (uint32_t& cycles : laps_.cycles) {
        cycles = 0;
      }
    }
    tile_end_ = last_;
  }
  __device__ void EndBlock() {
    const uint32_t now = Now();
    laps_.end = now - tile_end_;
    laps_.block = now - block_begin_;
    laps_.nanoseconds = Nanoseconds() - block_begin_nanoseconds_;
    if (threadIdx.x % wgmma::kThreads == 0) {
      laps_of_launch[blockIdx.x].groups[threadIdx.x / wgmma::kThreads] = laps_;
    }
  }
  __device__ void Need(uint32_t value) { needed_ ^= value; }
  __device__ void AwaitNeeded() {
    asm volatile(
        "{\n"
        ".reg .pred rare;\n"
        "setp.eq.u32 rare, %0, 0x9E3779B9;\n"
        "@rare nanosleep.u32 1;\n"
        "}\n" ::"r"(needed_)
        : "memory");
  }

 private:
  __device__ static uint32_t Now() {
    uint32_t now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
    return now;
  }
  __device__ static uint32_t Nanoseconds() {
    uint32_t now;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now)::"memory");
    return now;
  }

  uint32_t block_begin_, block_begin_nanoseconds_;
  uint32_t last_ = 0;
  uint32_t tile_end_ = 0;
  uint32_t needed_ = 0;
  BlockLaps::Group laps_ = {};
};

using Kernel = void (*)(const CUtensorMap, const ConvolutionInputMaps, const ConvolutionBatchNormArguments);

template <Kind kKind>
Kernel ChooseOfKind(const ConvolutionBatchNormLaunch& launch) {
  if (launch.groups == 3) {
    return launch.pixels == 128 ? ConvolutionBatchNormKernel<true, 128, 3, KeptTiles::kNone, kKind, 1, LapClock>
                                : nullptr;
  }
  return launch.pixels == 128   ? ConvolutionBatchNormKernel<true, 128, 2, KeptTiles::kNone, kKind, 1, LapClock>
         : launch.pixels == 256 ? ConvolutionBatchNormKernel<true, 256, 2, KeptTiles::kNone, kKind, 1, LapClock>
                                : nullptr;
}

}  // namespace

cudaError_t SetConvolutionLaps(BlockLaps* laps) { return cudaMemcpyToSymbol(laps_of_launch, &laps, sizeof(laps)); }

cudaError_t LaunchConvolutionLaps(const ConvolutionBatchNormLaunch& launch, const CUtensorMap& weights,
                                  const ConvolutionInputMaps& inputs, const ConvolutionBatchNormArguments& arguments,
                                  cudaStream_t stream) {
  const bool spread = arguments.tiles.spread_log2 != 0;
  if (!launch.backward || launch.kept != KeptTiles::kNone || arguments.tiles.splits_log2 != 0 ||
      launch.weight_blocks != 1 || (!spread && !arguments.tiles.bordered())) {
    return cudaErrorInvalidValue;
  }
  const Kernel kernel = spread ? ChooseOfKind<Kind::kSpread>(launch) : ChooseOfKind<Kind::kBox>(launch);
  if (kernel == nullptr) {
    return cudaErrorInvalidValue;
  }
  const LaunchSize size = {launch.blocks, ThreadsOf(launch.groups),
                           ConvolutionBatchNormSharedBytes(arguments.rings, launch.groups)};
  if (const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     static_cast<int>(size.shared_bytes));
      error != cudaSuccess) {
    return error;
  }
  return LaunchOverlapped(kernel, size, stream, weights, inputs, arguments);
}

}  // namespace lockstep
