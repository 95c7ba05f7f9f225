#include <algorithm>

#include "lib/kernels/gpu_timestamps.cuh"
#include "lib/kernels/sgd_elements.cuh"
#include "lib/peer/peer_flags.cuh"
#include "lib/peer/peer_packet_wait.cuh"
#include "lib/peer/peer_update.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 384;
constexpr uint32_t kBlocksAtOnce = 2;  // blocks per multiprocessor

// Made on the host: in a kernel, its arrays would be in local memory.
template <typename G>
PacketSum<G> SumOf(const PeerFlags& flags, const PacketBuffers& buffers, const SgdInput<G>& input) {
  PacketSum<G> sum;
  sum.rank = flags.rank;
  sum.ranks = flags.ranks;
  sum.buffers = buffers;
  sum.count = input.count;
  sum.from = input.gradient;
  sum.aligned = true;
  return sum;
}

template <typename G>
struct Sums {
  PacketSum<G> weights;
  PacketSum<float> batch_norms;
};

template <typename G>
__device__ bool IsWhole(const PacketSum<G>& sum, size_t packet) {
  return (packet + 1) * PacketSum<G>::kElements <= sum.count;
}

// Sends a packet. Also prefetches into the L2 cache the data that SGD reads in addition to the gradients, while the
// packets are in transit.
template <typename G>
__device__ void Send(const PacketSum<G>& sum, const SgdInput<G>& input, size_t packet) {
  const PeerPacket own = LoadElements(sum, packet);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(input.parameter + packet * PacketSum<G>::kElements));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(input.velocity + packet * PacketSum<G>::kElements));
  SendPacket(sum, 0, packet, own);
}

// Updates the elements of an array's last, partly filled packet.
template <typename G>
__device__ void TakeAndUpdatePart(const PacketSum<G>& sum, const SgdInput<G>& input, size_t packet, PacketWait& wait) {
  const SgdElementInput element = SgdElementInputOf</*kWhole=*/false>(input);
  const PeerPacket added = AddPackets(sum, 0, LoadElements(sum, packet), packet, wait);
  G gradient[PacketSum<G>::kElements];
  memcpy(static_cast<void*>(gradient), &added, sizeof(added));
  const size_t begin = packet * PacketSum<G>::kElements;
  for (size_t i = begin; i < input.count; ++i) {
    SgdUpdateOne(element, input, i, static_cast<float>(gradient[i - begin]));
  }
}

template <typename G>
__device__ void TakeAndUpdate(const PacketSum<G>& sum, const SgdInput<G>& input, size_t packet, PacketWait& wait) {
  constexpr uint32_t kFours = PacketSum<G>::kElements / kSgdVector;
  if (!IsWhole(sum, packet)) {
    TakeAndUpdatePart(sum, input, packet, wait);
    return;
  }
  SgdFour<float> parameter[kFours], velocity[kFours];
#pragma unroll
  for (uint32_t n = 0; n < kFours; ++n) {
    parameter[n] = reinterpret_cast<const SgdFour<float>*>(input.parameter)[packet * kFours + n];
    velocity[n] = reinterpret_cast<const SgdFour<float>*>(input.velocity)[packet * kFours + n];
  }
  // LoadElements would check again whether the packet is whole, and needs registers that are not available.
  const PeerPacket own = Sendable(reinterpret_cast<const PeerPacket*>(sum.from)[packet]);
  const PeerPacket added = AddPackets(sum, 0, own, packet, wait);
  SgdFour<G> gradient[kFours];
  memcpy(static_cast<void*>(gradient), &added, sizeof(added));
  const SgdElementInput element = SgdElementInputOf</*kWhole=*/false>(input);
#pragma unroll
  for (uint32_t n = 0; n < kFours; ++n) {
    SgdUpdateFour(element, input, packet * kFours + n, gradient[n], parameter[n], velocity[n]);
  }
}

// Writes the timestamps to all columns at once, by the block that finishes last.
__device__ void RecordArrival(const ArrivalTimestamps& arrival, uint32_t* done) {
  __shared__ bool all_done;
  __syncthreads();
  if (threadIdx.x == 0) {
    all_done = atomicAdd(done, 1) == gridDim.x - 1;
    if (all_done) {
      *done = 0;
    }
  }
  __syncthreads();
  if (all_done && threadIdx.x < arrival.columns) {
    WriteTimestamp(arrival.step, arrival.column[threadIdx.x], arrival.table);
  }
}

// Each thread handles packets of `weights`, then of `batch_norms`. The last threads, which have the fewest packets,
// also handle the flags.
template <typename G>
__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    PeerUpdateKernel(const __grid_constant__ PeerFlags flags, uint32_t row, const __grid_constant__ Sums<G> sums,
                     const __grid_constant__ PeerUpdateInput<G> input, uint32_t* done) {
  const size_t first = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const size_t threads = static_cast<size_t>(gridDim.x) * kThreads;
  const PacketSum<G>& weights = sums.weights;
  const PacketSum<float>& batch_norms = sums.batch_norms;
  const size_t of_weights = weights.packets(), all = of_weights + batch_norms.packets();
  const size_t other = threads - 1 - first;
  const bool tells = other < flags.ranks && other != flags.rank;
  if (tells) {
    RaiseFlag(flags, row, static_cast<uint32_t>(other), *flags.epoch);
  }
  for (size_t i = first; i < all; i += threads) {
    if (i < of_weights) {
      Send(weights, input.weights, i);
    } else {
      Send(batch_norms, input.batch_norms, i - of_weights);
    }
  }
  PacketWait wait(flags);
  for (size_t i = first; i < all; i += threads) {
    if (i < of_weights) {
      TakeAndUpdate(weights, input.weights, i, wait);
    } else {
      TakeAndUpdate(batch_norms, input.batch_norms, i - of_weights, wait);
    }
  }
  if (tells) {
    AwaitFlag(flags, row, static_cast<uint32_t>(other), *flags.epoch);
  }
  if (input.arrival.columns != 0) {
    RecordArrival(input.arrival, done);
  }
}

template <typename G>
bool Fits(const PacketBuffers& buffers, const SgdInput<G>& input) {
  return input.ranks == 0 && input.count <= MaxInOneShot<G>(buffers);
}

}  // namespace

template <typename G>
cudaError_t PeerUpdate(const PeerPush& push, const PeerUpdateInput<G>& input, cudaStream_t stream,
                       uint32_t max_blocks) {
  if (!HasPeerRow(push.flags, push.row) || input.arrival.columns > ArrivalTimestamps::kMaxColumns ||
      !Fits(push.weights, input.weights) || !Fits(push.batch_norms, input.batch_norms)) {
    return cudaErrorInvalidValue;
  }
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error != cudaSuccess) {
    return error;
  }
  const Sums<G> sums = {SumOf(push.flags, push.weights, input.weights),
                        SumOf(push.flags, push.batch_norms, input.batch_norms)};
  const size_t work = sums.weights.packets() + sums.batch_norms.packets() + push.flags.ranks;
  const uint32_t resident = kBlocksAtOnce * static_cast<uint32_t>(multiprocessors);
  const auto wanted = static_cast<uint32_t>(std::clamp<size_t>((work + kThreads - 1) / kThreads, 1, resident));
  const uint32_t blocks = max_blocks == 0 ? wanted : std::min(wanted, max_blocks);
  PeerUpdateKernel<G><<<blocks, kThreads, 0, stream>>>(push.flags, push.row, sums, input, push.done);
  return cudaGetLastError();
}

template cudaError_t PeerUpdate(const PeerPush&, const PeerUpdateInput<float>&, cudaStream_t, uint32_t);
template cudaError_t PeerUpdate(const PeerPush&, const PeerUpdateInput<__nv_bfloat16>&, cudaStream_t, uint32_t);

}  // namespace lockstep
