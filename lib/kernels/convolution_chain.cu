// Consecutive layers of equal shape in one launch: each is a 3x3 convolution with a stride of 1, the batch norm of its
// output, the residual and the ReLU. The work of a layer is that of a launch that applies the batch norm
// (convolution_batch_norm.cu), in the same order, so that the bits are equal.
//
// A launch of few tiles takes three times as long as its products: it waits for the previous launch to end, sets up its
// blocks, and loads its first weights. Here a block is set up once. Between two layers it waits until all blocks have
// written the layer's output (convolution_chain_wait.cuh), and meanwhile the other copying thread fills the ring of
// weights with those of the next layer.
//
// Launch: as many blocks as run at once, each with the same one or two tiles in every layer. Memory traffic: that of
// the launches that it replaces.
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/kernels/convolution_batch_norm_consume.cuh"
#include "lib/kernels/convolution_chain_kernel.h"
#include "lib/kernels/convolution_chain_wait.cuh"

namespace lockstep {
namespace {

using namespace convolution_batch_norm;
using convolution_chain::LayerCounter;

constexpr uint32_t kGroups = kApplyingGroups;
constexpr bool kForward = false;  // value of kBackward

// Calls `visit` with each of the block's tiles.
template <typename Visit>
__device__ void ForEachTile(const ConvolutionTiles& tiles, const Work& work, const Visit& visit) {
#pragma unroll 1
  for (uint32_t index = work.first; index < tiles.pixel_tiles; index += work.stride) {
    visit(Tile(tiles, index));
  }
}

// Rings of a chain. Weights that stay (SlotRing::stays) do so for one layer: then their slots are released, which each
// group does once for all of its tiles.
struct LayerRings {
  main_loop::Rings rings;

  __device__ void Init(uint32_t warp, uint32_t warps) const {
    rings.input.Init(warp, kGroupWarps);
    rings.weights.Init(warps - 1 - warp, rings.weights.stays ? kGroups * kGroupWarps : kGroupWarps);
  }
  // Releases a layer's weights if they have stayed. Must be called by both groups, also by one without a tile, when
  // their products are complete.
  __device__ void ReleaseWeights() const {
    const uint32_t lane = threadIdx.x % kWarp;
    if (rings.weights.stays && lane < rings.weights.slots) {
      Arrive(rings.weights.empty + lane * kBarrierBytes);
    }
  }
  // Advances a ring of weights whose position is at the end of a layer.
  __device__ static void EndLayer(Ring& weights) { weights.phase ^= weights.stays ? 1 : 0; }
};

template <Kind kKind>
__device__ TileCopies<kForward, kKind, 1> CopiesOf(const ConvolutionChainLayer& layer, const Work& work) {
  return {layer.arguments, layer.weights, &layer.input, work.channel, work.rank};
}

template <Kind kKind>
__device__ void CopyChainWeights(const ConvolutionChainArguments& chain, const Work& work, Ring& ring) {
  if (!chain.layer[0].arguments.weights_ahead) {
    WaitForLaunchBefore();
  }
#pragma unroll 1
  for (uint32_t l = 0; l < chain.layers; ++l) {
    const TileCopies<kForward, kKind, 1> copies = CopiesOf<kKind>(chain.layer[l], work);
#pragma unroll 1
    for (uint32_t index = work.first; index < copies.arguments.tiles.pixel_tiles; index += work.stride) {
      const Tile tile(copies.arguments.tiles, index);
      main_loop::CopyTileWeights(copies, tile, StagesOf<kKind>(copies.arguments, work, tile), ring);
      if (ring.stays) {
        break;
      }
    }
    LayerRings::EndLayer(ring);
  }
}

template <Kind kKind>
__device__ void CopyChainInput(const ConvolutionChainArguments& chain, const Work& work, Ring& ring) {
  const ConvolutionBatchNormArguments& first = chain.layer[0].arguments;
  const LayerCounter counter(first.lamport_buffer);
#pragma unroll 1
  for (uint32_t l = 0; l < chain.layers; ++l) {
    const TileCopies<kForward, kKind, 1> copies = CopiesOf<kKind>(chain.layer[l], work);
    if (l != 0) {
      counter.Await(l, first.waits);
    } else {
      WaitForLaunchBefore();
    }
    ForEachTile(first.tiles, work, [&](const Tile& tile) {
      main_loop::CopyTileInput(copies, tile, StagesOf<kKind>(copies.arguments, work, tile), ring);
    });
  }
}

// Takes the values of a kept tile again from where they are staged, so that they need no registers during the wait for
// the sums.
template <uint32_t kPixels>
__device__ void TakeStaged(uint32_t staging, Kept<kPixels>& kept) {
  const uint32_t thread = threadIdx.x % wgmma::kThreads;
#pragma unroll
  for (uint32_t k = 0; k < Kept<kPixels>::kItems; ++k) {
    kept.value[k] = Words::Of(LoadShared(StagedAt(staging, thread / kChunks + k * kPixelsAtOnce, thread % kChunks)));
  }
}

// Computes the layers, with at most one tile per group. During the sums, the ring of input boxes is free: all tiles
// have been multiplied, and the next layer's boxes are copied after all blocks have written this layer.
template <uint32_t kPixels, Kind kKind>
__device__ void ConsumeChain(const ConvolutionChainArguments& chain, const Work& work, const SharedPlan& plan,
                             uint32_t shared_base, char* shared, LayerRings of_layer) {
  Sums* const sums_of_warps = reinterpret_cast<Sums*>(shared);
  const uint32_t staging = shared_base + plan.staging + wgmma::OfWarp(threadIdx.x / wgmma::kThreads) * kStageBytes;
#pragma unroll 1
  for (uint32_t l = 0;; ++l) {
    const ConvolutionBatchNormArguments& arguments = chain.layer[l].arguments;
    const bool is_last = l + 1 == chain.layers;
    LamportCounters counters(arguments.lamport_buffer);
    counters.turn += l;
    ChannelSums sums;
    LoadOrigin(arguments.parameters.running_mean, work, sums);
    Kept<kPixels> kept = {};
    MultiplyAndKeep<kForward, kPixels, kKind, 1>(arguments, work, plan, shared_base, of_layer.rings, l, kept, sums);
    of_layer.ReleaseWeights();
    const ForwardCoefficients of_channel(arguments, work.channel + threadIdx.x % kChannels);
    LamportReduction<kGroups> reduction(arguments.lamport_buffer, counters, work, arguments.waits);
    const Coefficients& coefficients = SumOverGrid<kGroups>(arguments, work, of_channel, reduction, sums, sums_of_warps,
                                                            is_last && chain.layer[0].arguments.next_early);
    uint32_t closed_before = 0;
    if (is_last) {
      LetNextBegin();
      closed_before = threadIdx.x == 0 ? reduction.BeginToClose() : 0;
    }
    const PackCoefficients of_thread(coefficients);
    TakeStaged(staging, kept);
    Apply<kForward, kPixels>(arguments, of_thread, kept);
    if (is_last) {
      if (threadIdx.x == 0 && reduction.Close(closed_before, chain.layers)) {
        LayerCounter(arguments.lamport_buffer).Reset();
      }
      return;
    }
    // Its barrier also separates the reads of the coefficients from the next layer's writes to the same memory.
    LayerCounter(arguments.lamport_buffer).Arrive<kGroups>();
    if (threadIdx.x == 0 && arguments.tiles.splits_log2 != 0) {
      ArriveExpecting(shared_base + plan.exchanged(), ReceivedBytes(arguments.tiles, kPixels));
    }
    ForEachTile(arguments.tiles, work,
                [&](const Tile& tile) { of_layer.rings.Skip(StagesOf<kKind>(arguments, work, tile)); });
    LayerRings::EndLayer(of_layer.rings.weights);
  }
}

template <uint32_t kPixels, Kind kKind>
__global__ void __launch_bounds__(ThreadsOf(kGroups), 1)
    ConvolutionChainKernel(const __grid_constant__ ConvolutionChainArguments chain) {
#ifndef LOCKSTEP_CODE_LEFT_OUT
  static_assert(kKind == Kind::kBox || kKind == Kind::kSame, "layers with a stride of 1 and a filter of 3");
  static_assert(kCopiers<kPixels, 1> == 2, "the thread that copies weights does not wait for the layer before");
  constexpr uint32_t kWarps = ThreadsOf(kGroups) / kWarp;
  const ConvolutionBatchNormArguments& arguments = chain.layer[0].arguments;  // layers share all that is read here
  if (threadIdx.x == ConsumersOf(kGroups)) {
    for (uint32_t l = 0; l < chain.layers; ++l) {
      PrefetchMap(chain.layer[l].weights);
      PrefetchMap(chain.layer[l].input);
    }
  }
  extern __shared__ char unaligned[];
  const uint32_t skew = (wgmma::kPatternBytes - SharedAddress(unaligned) % wgmma::kPatternBytes) % wgmma::kPatternBytes;
  char* const shared = unaligned + skew;
  const uint32_t base = SharedAddress(shared);
  const ConvolutionRings& sizes = arguments.rings;
  const SharedPlan plan(sizes, kGroups);
  const uint32_t weight_barriers = base + plan.barriers + 2 * sizes.input_slots * kBarrierBytes;
  const Work work(arguments.tiles);
  const bool weights_stay = (work.end - work.begin) * kTapsOf<kKind> == sizes.weight_slots;
  LayerRings of_layer = {
      {Ring(base, sizes.input_stride(), sizes.input_bytes, base + plan.barriers, sizes.input_slots, false),
       Ring(base + plan.weights, kWeightBytes, kWeightBytes, weight_barriers, sizes.weight_slots, weights_stay)}};
  const uint32_t warp = wgmma::OfWarp(threadIdx.x / kWarp);
  if (threadIdx.x % kWarp == 0) {
    of_layer.Init(warp, kWarps);
    if (warp < kGroups) {
      InitBarrier(base + plan.multiplied(warp), kGroupWarps);
    }
    if (warp == kGroups) {
      InitBarrier(base + plan.exchanged(), 1);
      ArriveExpecting(base + plan.exchanged(), ReceivedBytes(arguments.tiles, kPixels));
    }
    PublishBarriers();
  }
  if (arguments.tiles.splits_log2 != 0) {
    SyncCluster();
  } else {
    __syncthreads();
  }
  const auto copy = [&](uint32_t copier) {
    if (copier == 0) {
      CopyChainInput<kKind>(chain, work, of_layer.rings.input);
    } else {
      CopyChainWeights<kKind>(chain, work, of_layer.rings.weights);
    }
  };
  const auto wait_and_consume = [&] {
    WaitForLaunchBefore();
    ConsumeChain<kPixels, kKind>(chain, work, plan, base, shared, of_layer);
  };
  main_loop::RunGroups<kGroups, kCopiers<kPixels, 1>>(wait_and_consume, copy);
#endif
}

using Kernel = void (*)(const ConvolutionChainArguments);

// Returns the kernel, or null if there is none for the launch.
Kernel Choose(const ConvolutionBatchNormLaunch& launch, const ConvolutionTiles& tiles) {
  if (launch.backward || launch.stride != 1 || launch.groups != kGroups || launch.kept != KeptTiles::kInRegisters ||
      launch.weight_blocks != 1 || tiles.filter != 3) {
    return nullptr;
  }
  if (launch.pixels == 128) {
    return tiles.bordered() ? ConvolutionChainKernel<128, Kind::kBox> : ConvolutionChainKernel<128, Kind::kSame>;
  }
  if (launch.pixels == 64) {
    return tiles.bordered() ? ConvolutionChainKernel<64, Kind::kBox> : ConvolutionChainKernel<64, Kind::kSame>;
  }
  return nullptr;
}

// Finds the kernel of a launch, sets its maximum shared memory, and computes the launch's dimensions.
cudaError_t Prepare(const ConvolutionBatchNormLaunch& launch, const ConvolutionBatchNormArguments& arguments,
                    Kernel* kernel, LaunchSize* size) {
  *kernel = Choose(launch, arguments.tiles);
  if (*kernel == nullptr) {
    return cudaErrorInvalidValue;
  }
  *size = {launch.blocks, ThreadsOf(kGroups), ConvolutionBatchNormSharedBytes(arguments.rings, kGroups),
           1u << arguments.tiles.splits_log2};
  return cudaFuncSetAttribute(*kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(size->shared_bytes));
}

}  // namespace

cudaError_t LaunchConvolutionChain(const ConvolutionBatchNormLaunch& launch, const ConvolutionChainArguments& chain,
                                   cudaStream_t stream) {
  if (chain.layers == 0 || chain.layers > kMaxChainLayers) {
    return cudaErrorInvalidValue;
  }
  Kernel kernel = nullptr;
  LaunchSize size;
  if (const cudaError_t error = Prepare(launch, chain.layer[0].arguments, &kernel, &size); error != cudaSuccess) {
    return error;
  }
  return LaunchOverlapped(kernel, size, stream, chain);
}

cudaError_t CountResidentChainBlocks(const ConvolutionBatchNormLaunch& launch, const ConvolutionBatchNormArguments& of,
                                     uint32_t* blocks) {
  Kernel kernel = nullptr;
  LaunchSize size;
  if (const cudaError_t error = Prepare(launch, of, &kernel, &size); error != cudaSuccess) {
    return error;
  }
  cudaLaunchAttribute cluster = ClusterOf(size);
  cudaLaunchConfig_t config = ConfigOf(size);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
  *blocks = static_cast<uint32_t>(clusters) << of.tiles.splits_log2;
  return error;
}

}  // namespace lockstep
