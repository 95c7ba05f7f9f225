// From a group's registers to memory: results are requantized, added to another tensor, and transposed in shared
// memory.
//
// A thread's sums are of two channels, rows q and q + 8 of 16 of the accumulator, and of pairs of pixels. Weights are
// packed so that these rows are channels 2q and 2q + 1. Hence a thread's two bytes are neighbours, and those of eight
// threads make the 16 bytes of a pixel that stmatrix writes.
#ifndef LOCKSTEP_LIB_INT8_CUDA_HOPPER_WRITE_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_HOPPER_WRITE_CUH_

#include "lib/int8_cuda/epilogue.cuh"
#include "lib/int8_cuda/hopper_block.cuh"

namespace lockstep {
namespace hopper {

// Returns the address of 16 channels (chunk 0 to 3) of a pixel in a group's tile, swizzled by 64 bytes like the copies.
__device__ inline uint32_t StagedAt(uint32_t staging, uint32_t pixel, uint32_t chunk) {
  return staging + pixel * kOutBytes + (chunk ^ pixel / 2 % 4) * 16;
}

// Two channels of a thread, the same for all its tiles.
struct Channels {
  uint32_t first;  // index in the layer
  int2 start;      // start values of class 0
  float2 multiplier;

  __device__ Channels(const Epilogue& epilogue, uint32_t channel) {
    first = channel + threadIdx.x / kWarp % kGroupWarps * 16 + threadIdx.x % kWarp / 4 * 2;
    start = *reinterpret_cast<const int2*>(epilogue.start + first);
    multiplier = *reinterpret_cast<const float2*>(epilogue.multiplier + first);
  }
  // Returns the initial value of a sum. With classes it is 0, and start values are added at the end. Of the blocks that
  // share a depth, only the one of rank 0 begins with the start value.
  __device__ int2 Begin(const Epilogue& epilogue, uint32_t rank) const {
    return epilogue.classes == nullptr && rank == 0 ? start : int2{0, 0};
  }
};

// Addition of another tensor: none, or with the sum's result as the first or second operand.
enum class Added { kNot, kFirst, kSecond };

// Finishes two neighbouring pixels of the thread's channels. `sums`: the first pixel's channels in [0] and [2], as in
// wgmma.cuh. Bytes 0 and 1 of the result and of `addend` are the first pixel's, bytes 2 and 3 the second pixel's.
template <Added kAdded>
__device__ inline uint32_t FinishPixels(const HopperArguments& arguments, const Channels& channels,
                                        const int32_t (&sums)[4], uint32_t addend) {
  const FastEpilogue& fast = arguments.fast;
  const uint32_t others = addend ^ 0x80808080u;
  uint32_t result[4];
#pragma unroll
  for (uint32_t i = 0; i < 2; ++i) {
#pragma unroll
    for (uint32_t h = 0; h < 2; ++h) {
      const uint32_t byte = 2 * i + h;
      const float multiplier = h == 0 ? channels.multiplier.x : channels.multiplier.y;
      const int32_t own = FastRequantized(sums[2 * h + i], multiplier, fast.own);
      result[byte] =
          static_cast<uint32_t>(kAdded == Added::kNot ? own
                                                      : FastAdded(own, ByteOf(others, byte), kAdded == Added::kFirst,
                                                                  arguments.epilogue.addition, fast.added));
    }
  }
  return LowBytes(result[0], result[1], result[2], result[3]) ^
         (kAdded == Added::kNot ? fast.own.flips : fast.added.flips);
}

// Finishes sums without start values: adds the start value of each pixel's class. `pixel`: first pixel's index in the
// tile.
template <Added kAdded>
__device__ inline uint32_t FinishClassedPixels(const HopperArguments& arguments, const Tile& tile,
                                               const Channels& channels, uint32_t pixel, const int32_t (&sums)[4],
                                               uint32_t addend) {
  const Epilogue& epilogue = arguments.epilogue;
  int32_t finished[4];
#pragma unroll
  for (uint32_t i = 0; i < 2; ++i) {
    const Pixel place(arguments.tiles, tile, pixel + i);
    const int2 start = *reinterpret_cast<const int2*>(
        epilogue.start + epilogue.classes[place.in_image] * epilogue.channels + channels.first);
    finished[i] = FinishSum(sums[i], start.x);
    finished[2 + i] = FinishSum(sums[2 + i], start.y);
  }
  return FinishPixels<kAdded>(arguments, channels, finished, addend);
}

// Loads or stores four matrices of eight pixels. A matrix of either instruction: pixel (row) by 16 channels of the
// warp.
__device__ inline void LoadStaged(uint32_t at, uint32_t (&word)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
               : "r"(at)
               : "memory");
}
__device__ inline void StoreStaged(uint32_t at, const uint32_t (&word)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(word[0]),
               "r"(word[1]), "r"(word[2]), "r"(word[3])
               : "memory");
}

template <Added kAdded, bool kClasses, uint32_t kPixels>
__device__ void StageTile(const HopperArguments& arguments, const Tile& tile, const Channels& channels,
                          uint32_t staging, const int32_t (&acc)[kPixels / 2]) {
  const uint32_t lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp % kGroupWarps;
#pragma unroll
  for (uint32_t first = 0; first < kPixels; first += kWarp) {
    const uint32_t at = StagedAt(staging, first + lane, warp);
    uint32_t addend[4] = {}, word[4];
    if (kAdded != Added::kNot) {
      LoadStaged(at, addend);
    }
#pragma unroll
    for (uint32_t j = 0; j < 4; ++j) {
      const uint32_t of = (first / 8 + j) * 4;
      const int32_t sums[4] = {acc[of], acc[of + 1], acc[of + 2], acc[of + 3]};
      word[j] = kClasses ? FinishClassedPixels<kAdded>(arguments, tile, channels, first + j * 8 + lane % 4 * 2, sums,
                                                       addend[j])
                         : FinishPixels<kAdded>(arguments, channels, sums, addend[j]);
    }
    StoreStaged(at, word);
  }
}

template <Added kAdded, uint32_t kPixels>
__device__ void FinishTile(const HopperArguments& arguments, const Tile& tile, const Channels& channels,
                           uint32_t staging, const int32_t (&acc)[kPixels / 2]) {
  if (arguments.epilogue.classes == nullptr) {
    StageTile<kAdded, false, kPixels>(arguments, tile, channels, staging, acc);
  } else {
    StageTile<kAdded, true, kPixels>(arguments, tile, channels, staging, acc);
  }
}

// Staging buffer of a group. It holds in turn the other tensor's box, the results in its place, and the results during
// their copy to memory. One thread of the group begins the copies.
struct Staging {
  uint32_t group, address, addend_full, addend_phase = 0;

  __device__ bool Leads() const { return threadIdx.x % wgmma::kThreads == 0; }

  // Must be called before the sums are computed.
  template <uint32_t kPixels>
  __device__ void Prepare(const HopperArguments& arguments, const HopperMaps& maps, const Tile& tile,
                          uint32_t channel) const {
    if (Leads()) {
      WaitUntilStoresHaveRead();
      if (arguments.epilogue.addend != nullptr) {
        ArriveExpecting(addend_full, StagingBytes(kPixels));
        CopyBox(maps.addend, address, addend_full, static_cast<int32_t>(channel), static_cast<int32_t>(tile.column),
                static_cast<int32_t>(tile.image), static_cast<int32_t>(tile.row));
      }
    }
  }

  template <uint32_t kPixels>
  __device__ void Write(const HopperArguments& arguments, const HopperMaps& maps, const Tile& tile, uint32_t channel,
                        const Channels& channels, const int32_t (&acc)[kPixels / 2]) {
    if (arguments.epilogue.addend != nullptr) {
      WaitFor(addend_full, addend_phase);
      addend_phase ^= 1;
      if (arguments.epilogue.addition.own_is_first) {
        FinishTile<Added::kFirst, kPixels>(arguments, tile, channels, address, acc);
      } else {
        FinishTile<Added::kSecond, kPixels>(arguments, tile, channels, address, acc);
      }
    } else {
      SyncGroup(group);  // the leading thread has waited for the previous copy
      FinishTile<Added::kNot, kPixels>(arguments, tile, channels, address, acc);
    }
    PublishStores();
    SyncGroup(group);
    if (Leads()) {
      StoreBox(maps.output, address, static_cast<int32_t>(channel), static_cast<int32_t>(tile.column),
               static_cast<int32_t>(tile.image), static_cast<int32_t>(tile.row));
    }
  }
};

// Writes a tile whose depth is shared. Each block sends the sums of every other block's pixels to that block, adds up
// the sums that it receives, and writes the results.
template <Added kAdded, uint32_t kPixels>
__device__ void WriteShare(const HopperArguments& arguments, const Work& work, const Tile& tile,
                           const Channels& channels, uint32_t exchange, uint32_t barrier,
                           const int32_t (&acc)[kPixels / 2]) {
  constexpr uint32_t kPartsLog2 = kPixels == 128 ? 4 : 3, kPartBytes = wgmma::kThreads * sizeof(float4);
  static_assert(kPixels / 8 == 1u << kPartsLog2, "parts of eight pixels");
  const HopperTiles& tiles = arguments.tiles;
  const Epilogue& epilogue = arguments.epilogue;
  const uint32_t splits = 1u << tiles.splits_log2;
  const uint32_t mine_log2 = kPartsLog2 - tiles.splits_log2, mine = 1u << mine_log2;
  const uint32_t of_thread = exchange + threadIdx.x % wgmma::kThreads * static_cast<uint32_t>(sizeof(float4));
#pragma unroll
  for (uint32_t j = 0; j < 1u << kPartsLog2; ++j) {
    const uint32_t to = j >> mine_log2;
    const uint32_t at = of_thread + ((work.rank << mine_log2) + (j & (mine - 1))) * kPartBytes;
    Send(InBlock(at, to), InBlock(barrier, to),
         {__int_as_float(acc[4 * j]), __int_as_float(acc[4 * j + 1]), __int_as_float(acc[4 * j + 2]),
          __int_as_float(acc[4 * j + 3])});
  }
  WaitFor(barrier, 0);
  for (uint32_t j = 0; j < mine; ++j) {
    int32_t sums[4] = {};
    for (uint32_t from = 0; from < splits; ++from) {
      int32_t part[4];
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
                   : "r"(of_thread + ((from << mine_log2) + j) * kPartBytes)
                   : "memory");
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i) {
        sums[i] = FinishSum(sums[i], part[i]);
      }
    }
    const uint32_t pixel = ((work.rank << mine_log2) + j) * 8 + threadIdx.x % 4 * 2;
    uint32_t addend = 0;
    size_t at[2];
    bool inside[2];
#pragma unroll
    for (uint32_t i = 0; i < 2; ++i) {
      const Pixel place(tiles, tile, pixel + i);
      inside[i] = place.image < tiles.images;
      at[i] = ((static_cast<size_t>(place.image) << 2 * tiles.size_log2) + place.in_image) * epilogue.channels +
              channels.first;
      if (kAdded != Added::kNot && inside[i]) {
        addend |= static_cast<uint32_t>(*reinterpret_cast<const uint16_t*>(epilogue.addend + at[i])) << 16 * i;
      }
    }
    const uint32_t word = epilogue.classes == nullptr
                              ? FinishPixels<kAdded>(arguments, channels, sums, addend)
                              : FinishClassedPixels<kAdded>(arguments, tile, channels, pixel, sums, addend);
#pragma unroll
    for (uint32_t i = 0; i < 2; ++i) {
      if (inside[i]) {
        *reinterpret_cast<uint16_t*>(arguments.out + at[i]) = static_cast<uint16_t>(word >> 16 * i);
      }
    }
  }
}

}  // namespace hopper
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_HOPPER_WRITE_CUH_
