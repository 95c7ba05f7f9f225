#include <algorithm>

#include "lib/kernels/peer_all_reduce.h"
#include "lib/kernels/peer_flags.cuh"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 512;
constexpr uint32_t kMaxBlocks = 132;    // one a multiprocessor, so that all have room at once
constexpr uint32_t kPacketsAtOnce = 4;  // of a thread that reads directly: what is under way hides the way's length
constexpr uint32_t kDirectThreads = 1024;

// The call's epoch. The block that comes last raises it for the next call, when all have read it.
__device__ uint32_t BeginCall(const PeerFlags& flags, uint32_t* arrived) {
  __shared__ uint32_t epoch;
  if (threadIdx.x == 0) {
    epoch = *static_cast<const volatile uint32_t*>(flags.epoch);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(arrived, 1) == gridDim.x - 1) {
      *arrived = 0;
      *flags.epoch = epoch + 1;
    }
  }
  return epoch;
}

// Returns what has come, or at the limit what there is.
class PacketWait {
 public:
  __device__ explicit PacketWait(const PeerFlags& flags) : flags_(flags) {}

  __device__ PeerPacket operator()(const PeerPacket* place, uint32_t rank) {
    PeerPacket packet = LoadPacket(place);
    if (HasCome(packet)) {
      return packet;
    }
    const WaitReport& report = flags_.report[rank];
    const volatile uint32_t* const reported = report.expired;
    const uint32_t begin = ClockTurns();
    for (uint32_t tries = 1; !HasCome(packet); ++tries) {
      packet = LoadPacket(place);
      if (tries % kTriesWithoutClock != 0) {
        continue;
      }
      if (reported != nullptr && *reported != 0) {
        break;
      }
      if (ClockTurns() - begin > flags_.max_clock_turns) {
        Report(report);
        break;
      }
    }
    return packet;
  }

 private:
  const PeerFlags& flags_;
};

template <typename W, AllReduceWay kWay>
__global__ void __launch_bounds__(kThreads, 1)
    PacketKernel(const __grid_constant__ PeerFlags flags, const __grid_constant__ PacketSum<W> sum, uint32_t* arrived) {
  const uint32_t buffer = BeginCall(flags, arrived) & 1;
  const size_t first = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const size_t threads = static_cast<size_t>(gridDim.x) * kThreads;
  PacketWait wait(flags);
  if (kWay == AllReduceWay::kOneShot) {
    SumInOneShot(sum, buffer, first, threads, wait);
  } else {
    SumInTwoShots(sum, buffer, first, threads, wait);
  }
}

// A block of each rank meets those of the same number of the others.
__device__ void Meet(const PeerFlags& flags, uint32_t row, uint32_t epoch) {
  __syncthreads();
  if (threadIdx.x < flags.ranks && threadIdx.x != flags.rank) {
    RaiseFlag(flags, row, threadIdx.x, epoch);
    AwaitFlag(flags, row, threadIdx.x, epoch);
  }
  __syncthreads();
}

// Packets i, i + step, ... up to kPacketsAtOnce of them, those before `end`. kRanks: 0 if it is not known when compiled.
template <typename W, uint32_t kRanks>
__device__ void AddDirectly(const PeerAllReduceInput<W>& input, uint32_t ranks, size_t i, size_t step, size_t end) {
  const uint32_t all = kRanks == 0 ? ranks : kRanks;
  PacketAdder<W> adder[kPacketsAtOnce];
#pragma unroll
  for (uint32_t rank = 0; rank < all; ++rank) {
    const auto* const from = reinterpret_cast<const PeerPacket*>(input.all_from[rank]);
    PeerPacket packet[kPacketsAtOnce];
#pragma unroll
    for (uint32_t n = 0; n < kPacketsAtOnce; ++n) {
      packet[n] = LoadPacket(from + min(i + n * step, end - 1));
    }
#pragma unroll
    for (uint32_t n = 0; n < kPacketsAtOnce; ++n) {
      adder[n].Add(packet[n]);
    }
  }
#pragma unroll
  for (uint32_t n = 0; n < kPacketsAtOnce; ++n) {
    if (i + n * step < end) {
      const PeerPacket added = adder[n].Rounded();
#pragma unroll
      for (uint32_t rank = 0; rank < all; ++rank) {
        StorePacket(reinterpret_cast<PeerPacket*>(input.all_to[rank]) + i + n * step, added);
      }
    }
  }
}

// The last elements, fewer than a packet, by as many threads.
template <typename W>
__device__ void AddLast(const PeerAllReduceInput<W>& input, uint32_t ranks) {
  constexpr uint32_t kElements = PacketSum<W>::kElements;
  const size_t at = input.count / kElements * kElements + threadIdx.x;
  if (at >= input.count) {
    return;
  }
  float sum = 0;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const auto term = static_cast<float>(__ldcg(input.all_from[rank] + at));
    sum = rank == 0 ? term : __fadd_rn(sum, term);
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    input.all_to[rank][at] = W(sum);
  }
}

template <typename W, uint32_t kRanks>
__global__ void __launch_bounds__(kDirectThreads)
    DirectKernel(const __grid_constant__ PeerFlags flags, const __grid_constant__ PeerAllReduceInput<W> input,
                 uint32_t* arrived) {
  const uint32_t epoch = BeginCall(flags, arrived);
  Meet(flags, 2 * blockIdx.x, epoch);
  const size_t packets = input.count / PacketSum<W>::kElements;
  const size_t share = (packets + flags.ranks - 1) / flags.ranks;
  const size_t begin = min(packets, flags.rank * share), end = min(packets, begin + share);
  const size_t step = static_cast<size_t>(gridDim.x) * kDirectThreads;
  for (size_t i = begin + static_cast<size_t>(blockIdx.x) * kDirectThreads + threadIdx.x; i < end;
       i += step * kPacketsAtOnce) {
    AddDirectly<W, kRanks>(input, flags.ranks, i, step, end);
  }
  if (blockIdx.x == 0 && flags.rank == flags.ranks - 1) {
    AddLast(input, flags.ranks);
  }
  Meet(flags, 2 * blockIdx.x + 1, epoch);
}

bool IsAligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % sizeof(PeerPacket) == 0; }

uint32_t Blocks(size_t work, uint32_t threads, uint32_t fastest, uint32_t most) {
  const auto blocks = static_cast<uint32_t>(std::min<size_t>(fastest, (work + threads - 1) / threads));
  return std::max(1U, most == 0 ? blocks : std::min(blocks, most));
}

template <typename W>
cudaError_t AllReducePackets(const PeerAllReduceMemory& memory, AllReduceWay way, const PeerAllReduceInput<W>& input,
                             cudaStream_t stream, uint32_t most_blocks) {
  PacketSum<W> sum;
  sum.rank = memory.flags.rank;
  sum.ranks = memory.flags.ranks;
  sum.room = memory.room;
  sum.count = input.count;
  sum.from = input.from;
  sum.to = input.to;
  sum.aligned = IsAligned(input.from) && IsAligned(input.to);
  const bool one_shot = way == AllReduceWay::kOneShot;
  if (input.count > (one_shot ? MaxInOneShot<W>(sum.room) : MaxInTwoShots<W>(sum.room, sum.ranks))) {
    return cudaErrorInvalidValue;
  }
  const uint32_t blocks = Blocks(one_shot ? sum.packets() : sum.share(), kThreads, kMaxBlocks, most_blocks);
  if (one_shot) {
    PacketKernel<W, AllReduceWay::kOneShot><<<blocks, kThreads, 0, stream>>>(memory.flags, sum, memory.arrived);
  } else {
    PacketKernel<W, AllReduceWay::kTwoShots><<<blocks, kThreads, 0, stream>>>(memory.flags, sum, memory.arrived);
  }
  return cudaGetLastError();
}

template <typename W>
cudaError_t AllReduceDirectly(const PeerAllReduceMemory& memory, const PeerAllReduceInput<W>& input,
                              cudaStream_t stream, uint32_t most_blocks) {
  const uint32_t ranks = memory.flags.ranks;
  if (!std::all_of(input.all_from, input.all_from + ranks, IsAligned) ||
      !std::all_of(input.all_to, input.all_to + ranks, IsAligned)) {
    return cudaErrorInvalidValue;
  }
  const size_t share = (input.count / PacketSum<W>::kElements + ranks - 1) / ranks;
  const uint32_t blocks = std::min(kMaxDirectBlocks, Blocks(share, kDirectThreads, kMaxDirectBlocks, most_blocks));
  if (ranks == 2) {
    DirectKernel<W, 2><<<blocks, kDirectThreads, 0, stream>>>(memory.flags, input, memory.arrived);
  } else {
    DirectKernel<W, 0><<<blocks, kDirectThreads, 0, stream>>>(memory.flags, input, memory.arrived);
  }
  return cudaGetLastError();
}

}  // namespace

template <typename W>
cudaError_t PeerAllReduce(const PeerAllReduceMemory& memory, AllReduceWay way, const PeerAllReduceInput<W>& input,
                          cudaStream_t stream, uint32_t most_blocks) {
  if (!HasPeerRow(memory.flags, 0)) {
    return cudaErrorInvalidValue;
  }
  if (input.count == 0) {
    return cudaSuccess;
  }
  return way == AllReduceWay::kDirect ? AllReduceDirectly(memory, input, stream, most_blocks)
                                      : AllReducePackets(memory, way, input, stream, most_blocks);
}

template cudaError_t PeerAllReduce(const PeerAllReduceMemory&, AllReduceWay, const PeerAllReduceInput<float>&,
                                   cudaStream_t, uint32_t);
template cudaError_t PeerAllReduce(const PeerAllReduceMemory&, AllReduceWay, const PeerAllReduceInput<__nv_bfloat16>&,
                                   cudaStream_t, uint32_t);

}  // namespace lockstep
