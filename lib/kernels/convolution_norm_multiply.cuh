// The product itself: one thread copies boxes of input and weights, a group of four warps multiplies them into registers.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_MULTIPLY_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_MULTIPLY_CUH_

#include "lib/kernels/convolution_norm_block.cuh"

namespace lockstep {
namespace convolution_norm {

// The weights of a stage's row of the filter. Backward the filter is turned around, its two sides of channels exchanged.
template <bool kBackward>
__device__ void CopyWeights(const Work& work, uint32_t stage, uint32_t row, const CUtensorMap& weights, Ring& ring) {
  const int32_t depth = static_cast<int32_t>(stage / kFilter * wgmma::kLine);
  const int32_t channel = static_cast<int32_t>(work.channel);
  const int32_t tap = static_cast<int32_t>(row * kFilter + stage % kFilter);
  ring.Claim();
  if (kBackward) {
    CopyBox(weights, ring.Data(), ring.Full(), channel, static_cast<int32_t>(kFilter * kFilter) - 1 - tap, depth);
  } else {
    CopyBox(weights, ring.Data(), ring.Full(), depth, tap, channel);
  }
  ring.Next();
}

template <bool kBackward>
__device__ void CopyTile(const ConvolutionTiles& tiles, const Work& work, uint32_t index, const CUtensorMap& weights,
                         const CUtensorMap& input, Ring& input_ring, Ring& weight_ring) {
  const Tile tile(tiles, index);
  for (uint32_t stage = work.begin; stage < work.end; ++stage) {
    const int32_t depth = static_cast<int32_t>(stage / kFilter * wgmma::kLine);
    const int32_t column = static_cast<int32_t>(stage % kFilter);
    input_ring.Claim();
    CopyBox(input, input_ring.Data(), input_ring.Full(), depth, column - 1, static_cast<int32_t>(tile.image),
            static_cast<int32_t>(tile.row) - 1);
    input_ring.Next();
    for (uint32_t row = 0; row < kFilter && !(weight_ring.stays && index != work.first); ++row) {
      CopyWeights<kBackward>(work, stage, row, weights, weight_ring);
    }
  }
}

// Arrives at `issued` when the last instruction is on its way.
template <bool kBackward, uint32_t kPixels>
__device__ void Multiply(const ConvolutionTiles& tiles, const Work& work, Ring& input_ring, Ring& weight_ring,
                         uint32_t issued, float (&acc)[kPixels / 2]) {
  const uint32_t row_bytes = wgmma::kLineBytes << (tiles.size_log2 + tiles.tile_images_log2);
  const bool first_lane = threadIdx.x % kWarp == 0;
  uint32_t done_weight = 0, done_input = 0;  // slots to give back once the instructions that read them are over
  for (uint32_t stage = work.begin; stage < work.end; ++stage) {
    input_ring.WaitUntilFull();
#pragma unroll
    for (uint32_t row = 0; row < kFilter; ++row) {
      weight_ring.WaitUntilFull();
      const uint64_t a = wgmma::Describe(weight_ring.Data());
      const uint64_t b = wgmma::Describe(input_ring.Data() + row * row_bytes);
      wgmma::Fence();
#pragma unroll
      for (uint32_t k = 0; k < wgmma::kLine / wgmma::kDepth; ++k) {
        wgmma::MultiplyAsync<kBackward>(a + k * (kBackward ? wgmma::kDeeperAcrossLines : wgmma::kDeeperAlongLines),
                                        b + k * wgmma::kDeeperAlongLines, acc);
      }
      wgmma::Commit();
      wgmma::Wait<1>();
      if (first_lane && done_weight != 0 && !weight_ring.stays) {
        Arrive(done_weight);
      }
      if (row == 0 && first_lane && done_input != 0) {
        Arrive(done_input);
      }
      done_weight = weight_ring.Empty();
      weight_ring.Next();
    }
    done_input = input_ring.Empty();
    input_ring.Next();
  }
  if (first_lane) {
    Arrive(issued);
  }
  wgmma::Wait<0>();
  if (first_lane) {
    if (!weight_ring.stays) {
      Arrive(done_weight);
    }
    Arrive(done_input);
  }
}

}  // namespace convolution_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_MULTIPLY_CUH_
