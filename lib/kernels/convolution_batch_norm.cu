// A 3x3 convolution as a matrix product on Hopper's tensor cores, out^T (channels, pixels) = w (channels, depth) *
// im2col(x) (depth, pixels). The sums of the batch norm are computed from each tile before it leaves the chip.
//
// The product is transposed, so that the pixels are on the wide side of the matrix instruction (256). Otherwise, with
// 64 channels, the operands alone would take all that shared memory can deliver. Transposition also puts a channel's
// values into the registers of one thread quartet.
//
// The depth is processed 64 input channels at a time. Each stage copies a box of the input, eight columns wide, plus
// one column and row on each side; the copy fills in zeros beyond the border. A tap is only a different first line in
// this box: from eight pixels (a row) to the next eight it is ten lines for every tap. Hence an input value is loaded
// 1.3 to 1.6 times instead of 9. An image of 4x4 has no rows of eight pixels: there the three columns of the filter
// read three copies, shifted by a column, and the rows of the filter read the same copy, one image row lower each time.
// With a stride of 2, the copies contain every second row and column (Kind).
//
// One warp copies, and two groups of four warps process tiles alternately: while one group multiplies, the other writes
// its tile. A tile of little depth takes longer to write than to multiply; then three groups can take turns, so that
// two write at the same time. If there are fewer tiles than multiprocessors, the blocks of a cluster share a tile's
// depth, and each block adds up its share of the pixels.
//
// Deep tiles of few pixels read more weights than input. A pair of blocks then takes neighbouring pixel tiles of the
// same channels: each block copies half of every slot of weights to both, so that the L2 cache delivers each weight
// once per pair (convolution_batch_norm_pairs.cu).
//
// A launch whose blocks all run at once can also apply the batch norm. Each block waits for the sums of all blocks, and
// takes its values from registers (two tiles), from shared memory, or, what has no room there, from the L2 cache.
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/kernels/convolution_batch_norm_consume.cuh"
#include "lib/kernels/convolution_batch_norm_kernel.h"

namespace lockstep {
namespace {

using namespace convolution_batch_norm;

using Kernel = ConvolutionBatchNormFunction;

template <bool kBackward, Kind kKind>
Kernel ChooseKeptInShared(const ConvolutionBatchNormLaunch& launch) {
  constexpr bool kSmall = kKind == Kind::kSame;  // images of 4x4: backward, a block has two slots, as many as registers
  if constexpr (!kBackward && !kSmall) {
    if (launch.groups == 3) {
      return ConvolutionBatchNormKernel<false, 128, 3, KeptTiles::kInShared, kKind>;
    }
  }
  if constexpr (!kBackward || !kSmall) {
    if (launch.groups == 2) {
      return ConvolutionBatchNormKernel<kBackward, 128, 2, KeptTiles::kInShared, kKind>;
    }
  }
  return nullptr;
}

template <bool kBackward, Kind kKind>
Kernel ChooseOfKind(const ConvolutionBatchNormLaunch& launch, bool split) {
  if (launch.kept == KeptTiles::kInShared) {
    return launch.pixels == 128 && !split ? ChooseKeptInShared<kBackward, kKind>(launch) : nullptr;
  }
  if (launch.groups == 3) {
    if constexpr (kKind != Kind::kSame) {
      return launch.pixels == 128 && !split && launch.kept == KeptTiles::kNone
                 ? ConvolutionBatchNormKernel<kBackward, 128, 3, KeptTiles::kNone, kKind>
                 : nullptr;
    }
    return nullptr;
  }
  const bool apply = launch.kept == KeptTiles::kInRegisters;
  if (launch.pixels == 128) {
    return apply ? ConvolutionBatchNormKernel<kBackward, 128, 2, KeptTiles::kInRegisters, kKind>
                 : ConvolutionBatchNormKernel<kBackward, 128, 2, KeptTiles::kNone, kKind>;
  }
  if (launch.pixels == 64) {
    if constexpr (!kBackward) {
      return apply ? ConvolutionBatchNormKernel<false, 64, 2, KeptTiles::kInRegisters, kKind>
                   : ConvolutionBatchNormKernel<false, 64, 2, KeptTiles::kNone, kKind>;
    }
  }
  return launch.pixels == 256 && !split && !apply
             ? ConvolutionBatchNormKernel<kBackward, 256, 2, KeptTiles::kNone, kKind>
             : nullptr;
}

// Returns the kernel, or null if there is none for the launch.
Kernel Choose(const ConvolutionBatchNormLaunch& launch, const ConvolutionTiles& tiles) {
  const bool split = tiles.splits_log2 != 0;
  if (launch.weight_blocks == kPairBlocks) {
    return split ? nullptr : ChooseConvolutionBatchNormPairs(launch, tiles);
  }
  if (tiles.filter == 1) {
    return ChooseOfKind<false, Kind::kPoints>(launch, split);
  }
  if (tiles.bordered()) {
    return launch.backward ? ChooseOfKind<true, Kind::kBox>(launch, split)
                           : ChooseOfKind<false, Kind::kBox>(launch, split);
  }
  if (launch.stride == 1) {
    return launch.backward ? ChooseOfKind<true, Kind::kSame>(launch, split)
                           : ChooseOfKind<false, Kind::kSame>(launch, split);
  }
  return launch.backward ? ChooseOfKind<true, Kind::kSpread>(launch, split)
                         : ChooseOfKind<false, Kind::kHalved>(launch, split);
}

// Kernel of a launch, with its maximum shared memory set, and the launch's dimensions.
struct Prepared {
  Kernel kernel = nullptr;
  LaunchSize size;

  cudaError_t Make(const ConvolutionBatchNormLaunch& launch, const ConvolutionBatchNormArguments& arguments) {
    kernel = Choose(launch, arguments.tiles);
    if (kernel == nullptr) {
      return cudaErrorInvalidValue;
    }
    size = {launch.blocks, ThreadsOf(launch.groups), ConvolutionBatchNormSharedBytes(arguments.rings, launch.groups),
            launch.weight_blocks << arguments.tiles.splits_log2};
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(size.shared_bytes));
  }
};

}  // namespace

uint32_t ConvolutionBatchNormSharedBytes(const ConvolutionRings& rings, uint32_t groups) {
  return SharedPlan(rings, groups).bytes + wgmma::kPatternBytes;  // room to align the start to a pattern
}

cudaError_t LaunchConvolutionBatchNorm(const ConvolutionBatchNormLaunch& launch, const CUtensorMap& weights,
                                       const ConvolutionInputMaps& inputs,
                                       const ConvolutionBatchNormArguments& arguments, cudaStream_t stream) {
  Prepared prepared;
  if (const cudaError_t error = prepared.Make(launch, arguments); error != cudaSuccess) {
    return error;
  }
  return LaunchOverlapped(prepared.kernel, prepared.size, stream, weights, inputs, arguments);
}

cudaError_t CountResidentBlocks(const ConvolutionBatchNormLaunch& launch,
                                const ConvolutionBatchNormArguments& arguments, uint32_t* blocks) {
  Prepared prepared;
  if (const cudaError_t error = prepared.Make(launch, arguments); error != cudaSuccess) {
    return error;
  }
  cudaLaunchAttribute cluster = ClusterOf(prepared.size);
  cudaLaunchConfig_t config = ConfigOf(prepared.size);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, prepared.kernel, &config);
  *blocks = static_cast<uint32_t>(clusters) * prepared.size.cluster_blocks;
  return error;
}

}  // namespace lockstep
