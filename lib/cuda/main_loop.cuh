// Main loop of Hopper's matrix products: one thread (or one for each operand) copies boxes of both operands into two
// rings of slots, and groups of four warps multiply them into registers.
//
// acc (64 rows, columns) += weights (64, depth) * input (depth, columns). The depth consists of stages. A stage has one
// slot of input and one slot of weights per tap; every tap reads the same slot of input, from another byte on.
//
// A kernel describes its product by two types:
//
//   Copies, how the operands of a tile arrive. Each function begins the copies of one slot, ring.bytes in all, to
//   ring.Data(), counted by ring.Full():
//     Input(tile, stage, ring), Weights(tile, stage, tap, ring)
//
//   Product, how the instruction reads the slots:
//     kTaps: taps per stage, or 0: Stages::taps
//     kSteps: instructions per tap
//     kDeeperWeights, kDeeperInput: increments of the descriptors from one instruction to the next
//     kInTurn: the groups multiply one after another, so each announces its last instruction
//     kWeightBlocks: blocks of the cluster, 1 or all of them, that fill each other's slots of weights
//     Weights(slot), Input(slot, tap): descriptors of the first instruction of a tap, from the slots' addresses
//     Issue(weights, input, acc): the instruction
//
// Why every wait ends:
// - A full slot: the copying thread arrives once, and the bytes that it announces are those that it copies; or none, if
//   the slot has these data already (SlotRing::Renew).
// - An empty slot: one thread of each warp that multiplies arrives once, when the instructions that read the slot are
//   complete. So its barrier must expect kGroupWarps arrivals per group that reads the slot. Weights that stay
//   (SlotRing::stays) are copied once, and their slots are never released.
// - A slot of weights that kWeightBlocks blocks fill together, a part each: the thread of each block announces the
//   bytes of all parts in its own block, and copies its part to all blocks. Before that it waits until the warps of all
//   blocks have released the slot, so the barrier must expect kGroupWarps arrivals per block. All blocks must take the
//   same weights in the same order. A block must not end while others arrive at its barriers: the thread that copies
//   must end with SlotRing::WaitUntilEmpty. All parts have arrived then, because each slot was read before its release.
// - A turn (WaitForTurn): a barrier distinguishes its phases only by their parity, so a group must not wait for a slot
//   two rounds ahead. Groups that take tiles in turn multiply one after another, and each announces its last
//   instruction at a barrier of its own, which must expect kGroupWarps arrivals.
#ifndef LOCKSTEP_LIB_CUDA_MAIN_LOOP_CUH_
#define LOCKSTEP_LIB_CUDA_MAIN_LOOP_CUH_

#include <cstdint>

#include "lib/cuda/slot_ring.cuh"
#include "lib/cuda/wgmma.cuh"

namespace lockstep {
namespace main_loop {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kGroupWarps = wgmma::kThreads / kWarp;

constexpr uint32_t kCopierRegisters = 24;
// Registers of a thread at launch: its share of all 65,536, in multiples of eight. `groups`: those that multiply; one
// more group has the copying thread.
constexpr uint32_t LaunchRegisters(uint32_t groups) { return 65536 / ((groups + 1) * wgmma::kThreads) / 8 * 8; }
// Registers of a thread that multiplies. All groups together must not request more than the last group gives back, or
// they wait forever.
constexpr uint32_t ConsumerRegisters(uint32_t groups) {
  return ((groups + 1) * LaunchRegisters(groups) - kCopierRegisters) / groups / 8 * 8;
}

// Stages begin ... end - 1 of a tile's depth, and the taps in each.
struct Stages {
  uint32_t begin, end, taps;
};

// Slots of both operands, and the thread's position among them.
struct Rings {
  SlotRing input, weights;

  // Passes over a tile that another group multiplies.
  __device__ void Skip(const Stages& stages) {
    input.Skip(stages.end - stages.begin);
    weights.Skip((stages.end - stages.begin) * stages.taps);
  }
  // Does the same in less time if the tile's slots are few times those of the rings.
  __device__ void SkipFew(const Stages& stages) {
    input.SkipFew(stages.end - stages.begin);
    weights.SkipFew((stages.end - stages.begin) * stages.taps);
  }
};

// Copies one slot of weights.
template <typename Copies, typename Tile>
__device__ void CopyWeights(const Copies& copies, const Tile& tile, uint32_t stage, uint32_t tap, SlotRing& ring) {
  ring.Claim();
  copies.Weights(tile, stage, tap, ring);
  ring.Next();
}

// Weights of a tile whose copies have begun before: all, or those in the first `slots`.
struct BegunWeights {
  uint32_t slots;
  bool all;
};

// Copies a tile's operands, stage by stage, without the weights whose copies have begun.
template <typename Copies, typename Tile>
__device__ void CopyTile(const Copies& copies, const Tile& tile, const Stages& stages, const BegunWeights& begun,
                         Rings& rings) {
  uint32_t slot = 0;
  for (uint32_t stage = stages.begin; stage < stages.end; ++stage) {
    rings.input.Claim();
    copies.Input(tile, stage, rings.input);
    rings.input.Next();
    for (uint32_t tap = 0; tap < stages.taps && !begun.all; ++tap, ++slot) {
      if (slot >= begun.slots) {
        CopyWeights(copies, tile, stage, tap, rings.weights);
      }
    }
  }
}

// Copies a tile's input, for a thread that copies no weights.
template <typename Copies, typename Tile>
__device__ void CopyTileInput(const Copies& copies, const Tile& tile, const Stages& stages, SlotRing& ring) {
#pragma unroll 1
  for (uint32_t stage = stages.begin; stage < stages.end; ++stage) {
    ring.Claim();
    copies.Input(tile, stage, ring);
    ring.Next();
  }
}

// Copies a tile's weights, for a thread that copies no input.
template <typename Copies, typename Tile>
__device__ void CopyTileWeights(const Copies& copies, const Tile& tile, const Stages& stages, SlotRing& ring) {
  for (uint32_t stage = stages.begin; stage < stages.end; ++stage) {
    for (uint32_t tap = 0; tap < stages.taps; ++tap) {
      CopyWeights(copies, tile, stage, tap, ring);
    }
  }
}

// Does the work of CopyTileWeights if each slot still has the weights that would be copied to it.
__device__ inline void RenewTileWeights(const Stages& stages, SlotRing& ring) {
  for (uint32_t i = (stages.end - stages.begin) * stages.taps; i != 0; --i) {
    ring.Renew();
    ring.Next();
  }
}

// Waits until the group of the previous turn has issued its last instruction. Groups that take tiles in turn must call
// this before Multiply. `issued_before`: the barrier `issued` of that group. `turn`: number of the block's tiles
// before this one.
template <uint32_t kGroups>
__device__ void WaitForTurn(uint32_t issued_before, uint32_t turn) {
  if (turn > 0) {
    WaitFor(issued_before, (turn - 1) / kGroups & 1);
  }
}

// Watch of Multiply's waits that does nothing and needs no instruction.
struct NoWatch {
  __device__ void BeginWait() const {}
  __device__ void EndWait() const {}
};

// Releases a slot of weights for one warp. Must be called by its first kBlocks lanes; each does so in the block of the
// cluster with its number. `empty`: the slot's barrier in this block.
template <uint32_t kBlocks>
__device__ void ReleaseWeights(uint32_t empty) {
  if constexpr (kBlocks == 1) {
    Arrive(empty);
  } else {
    ArriveInBlock(InBlock(empty, threadIdx.x % kWarp));
  }
}

// Multiplies a tile and releases its slots. Must be called by whole groups. Product::kInTurn: arrives at `issued` when
// the last instruction has been issued. `watch` is called before and after each wait for a slot.
template <typename Product, typename Sums, typename Watch = NoWatch>
__device__ void Multiply(const Product& product, const Stages& stages, Rings& rings, uint32_t issued, Sums& acc,
                         const Watch& watch = {}) {
  const bool first_lane = threadIdx.x % kWarp == 0;
  const bool releases_weights = Product::kWeightBlocks == 1 ? first_lane : threadIdx.x % kWarp < Product::kWeightBlocks;
  uint32_t done_weights = 0, done_input = 0;  // slots to release once the instructions that read them are complete
  for (uint32_t stage = stages.begin; stage < stages.end; ++stage) {
    watch.BeginWait();
    rings.input.WaitUntilFull();
    watch.EndWait();
#pragma unroll
    for (uint32_t tap = 0; tap < (Product::kTaps == 0 ? stages.taps : Product::kTaps); ++tap) {
      watch.BeginWait();
      rings.weights.WaitUntilFull();
      watch.EndWait();
      const uint64_t weights = product.Weights(rings.weights.Data());
      const uint64_t input = product.Input(rings.input.Data(), tap);
      wgmma::Fence();
#pragma unroll
      for (uint32_t k = 0; k < Product::kSteps; ++k) {
        Product::Issue(wgmma::Deeper(weights, k * Product::kDeeperWeights),
                       wgmma::Deeper(input, k * Product::kDeeperInput), acc);
      }
      wgmma::Commit();
      wgmma::Wait<1>();
      if (releases_weights && done_weights != 0 && !rings.weights.stays) {
        ReleaseWeights<Product::kWeightBlocks>(done_weights);
      }
      if (tap == 0 && first_lane && done_input != 0) {
        Arrive(done_input);
      }
      done_weights = rings.weights.Empty();
      rings.weights.Next();
    }
    done_input = rings.input.Empty();
    rings.input.Next();
  }
  if (Product::kInTurn && first_lane) {
    Arrive(issued);
  }
  wgmma::Wait<0>();
  if (releases_weights) {
    if (!rings.weights.stays) {
      ReleaseWeights<Product::kWeightBlocks>(done_weights);
    }
    if (first_lane) {
      Arrive(done_input);
    }
  }
}

// Divides a block into kGroups groups, which call `consume`, and the group after them, whose registers the others take
// over. The first threads of that group's first kCopiers warps call `copy` with the warp's number in the group. Must be
// called by all threads.
template <uint32_t kGroups, uint32_t kCopiers, typename Consume, typename Copy>
__device__ void RunGroups(const Consume& consume, const Copy& copy) {
  static_assert(kGroups * ConsumerRegisters(kGroups) + kCopierRegisters <= (kGroups + 1) * LaunchRegisters(kGroups),
                "a group that requests more registers than the others release waits forever");
  if (threadIdx.x < kGroups * wgmma::kThreads) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(ConsumerRegisters(kGroups)));
    consume();
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCopierRegisters));
    const uint32_t copier = wgmma::OfWarp(threadIdx.x / kWarp) - kGroups * kGroupWarps;
    if (copier < kCopiers && threadIdx.x % kWarp == 0) {
      copy(copier);
    }
  }
}

}  // namespace main_loop
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_MAIN_LOOP_CUH_
