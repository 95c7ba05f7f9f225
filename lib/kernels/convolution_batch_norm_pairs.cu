// Kernels of the convolution with a batch norm's sums (convolution_batch_norm.cu) whose blocks work in pairs: clusters
// of two blocks that take neighbouring pixel tiles of the same channels, and hence need the same weights.
//
// Each block copies half of every slot of weights by a multicast to both blocks. Shared memory receives as many bytes
// as without pairs, but the L2 cache delivers the weights once per pair: for 64 channels of the depth, 72 KiB for two
// tiles, not for one. In addition, boxes of 25 KiB of input per tile in layer 3 and of 72 KiB in layer 4 (128 pixels,
// with the border that is filled with zeros).
// lib/cuda/main_loop.cuh shows why every wait ends.
//
// There are kernels for the tiles that layers 3 and 4 of a ResNet use: 256 and 128 pixels, forward with a stride of 1
// also 64.
#include "lib/kernels/convolution_batch_norm_consume.cuh"
#include "lib/kernels/convolution_batch_norm_kernel.h"

namespace lockstep {
namespace {

using namespace convolution_batch_norm;

template <bool kBackward, uint32_t kPixels, Kind kKind>
ConvolutionBatchNormFunction ChooseOfPixels(KeptTiles kept) {
  switch (kept) {
    case KeptTiles::kNone:
      return ConvolutionBatchNormKernel<kBackward, kPixels, 2, KeptTiles::kNone, kKind, kPairBlocks>;
    case KeptTiles::kInRegisters:
      return ConvolutionBatchNormKernel<kBackward, kPixels, 2, KeptTiles::kInRegisters, kKind, kPairBlocks>;
    case KeptTiles::kInShared:
      break;
  }
  return nullptr;
}

template <bool kBackward, Kind kKind>
ConvolutionBatchNormFunction ChooseOfKind(const ConvolutionBatchNormLaunch& launch) {
  if (launch.pixels == 256) {
    return launch.kept == KeptTiles::kNone
               ? ConvolutionBatchNormKernel<kBackward, 256, 2, KeptTiles::kNone, kKind, kPairBlocks>
               : nullptr;
  }
  if (launch.pixels == 128) {
    return ChooseOfPixels<kBackward, 128, kKind>(launch.kept);
  }
  if constexpr (!kBackward && (kKind == Kind::kBox || kKind == Kind::kSame)) {
    if (launch.pixels == 64) {
      return ChooseOfPixels<kBackward, 64, kKind>(launch.kept);
    }
  }
  return nullptr;
}

}  // namespace

ConvolutionBatchNormFunction ChooseConvolutionBatchNormPairs(const ConvolutionBatchNormLaunch& launch,
                                                             const ConvolutionTiles& tiles) {
  if (launch.groups != 2 || tiles.filter != 3) {
    return nullptr;
  }
  if (tiles.bordered()) {
    return launch.backward ? ChooseOfKind<true, Kind::kBox>(launch) : ChooseOfKind<false, Kind::kBox>(launch);
  }
  if (launch.stride == 1) {
    return launch.backward ? ChooseOfKind<true, Kind::kSame>(launch) : ChooseOfKind<false, Kind::kSame>(launch);
  }
  return launch.backward ? ChooseOfKind<true, Kind::kSpread>(launch) : ChooseOfKind<false, Kind::kHalved>(launch);
}

}  // namespace lockstep
