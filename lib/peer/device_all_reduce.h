// Sums over the GPUs of a host, which reach into each other's memory: in fp32, in the order of the ranks, rounded once. And
// what a sum by copies is made of, one by one, with a broadcast beside them.
#ifndef LOCKSTEP_LIB_PEER_DEVICE_ALL_REDUCE_H_
#define LOCKSTEP_LIB_PEER_DEVICE_ALL_REDUCE_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/kernels/peer_all_reduce.h"
#include "lib/peer/all_reduce_crossovers.h"
#include "lib/peer/copied_collectives.h"
#include "lib/peer/device_flags.h"
#include "lib/peer/device_memory.h"
#include "lib/peer/gather_bytes.h"

namespace lockstep {

struct DeviceAllReduceOptions {
  int rank = 0, size = 0;
  absl::Duration timeout;
  size_t shared_bytes = 0;              // of shared(), for kCopies, which takes as much again; all ranks as many
  size_t max_one_shot_bytes = 4 << 20;  // bytes; the room for packets is 2 x size times as large
  AllReduceCrossovers crossovers;       // for kAuto; the same on all ranks
};

// Several can be used at once, each on a stream of its own, where all ranks queue their calls in the same order, as NCCL
// wants it: streams share the GPU's queues, and a call that waits holds up what is queued behind it.
class DeviceAllReduce {
 public:
  // All ranks of a host call it, at once, each with its GPU as the current device. Errors as PeerDeviceMemory::Make.
  static absl::StatusOr<std::unique_ptr<DeviceAllReduce>> Make(const GatherBytes& gather,
                                                               const DeviceAllReduceOptions& options);
  // This rank's memory that all others reach, shared_bytes of it, aligned to 256 bytes; and another rank's, as mapped here.
  uint8_t* shared() const { return shared_of(options_.rank); }
  uint8_t* shared_of(int rank) const;

  // Queues: `to`, which may be `from`, becomes the sum over all ranks' `from`, of `count` elements, any number. Every
  // rank makes the same calls, on one stream. Can be captured, and replayed on that stream. Kernels have most_blocks
  // blocks at most; 0: as fast as it goes. W: float or __nv_bfloat16. InvalidArgument: too many for the way; or, for
  // kCopies, also where kAuto takes it, not in shared(), `to` at the same place on all ranks, or not aligned to 16 bytes.
  template <typename W>
  absl::Status Sum(AllReduceWay way, const W* from, W* to, size_t count, cudaStream_t stream, uint32_t most_blocks = 0);

  // Queued and captured likewise, by copies. Shares are those of rank_share.h.

  // `to` becomes this rank's share of the sum over all ranks' `from`; it may be its place in `from`. InvalidArgument: more
  // elements than MaxCount of kCopies.
  template <typename W>
  absl::Status ReduceScatter(const W* from, W* to, size_t count, cudaStream_t stream, uint32_t most_blocks = 0);

  // `to`, of `bytes` bytes, becomes all ranks' shares of it, of which `from` is this one's; it may be its place in `to`.
  // InvalidArgument: not in shared(), at the same place on all ranks.
  absl::Status AllGather(const void* from, void* to, size_t bytes, cudaStream_t stream);

  // `data` becomes that of `root`. InvalidArgument: as above, or no such rank.
  absl::Status Broadcast(void* data, size_t bytes, int root, cudaStream_t stream);

  // The most elements of a sum; for kAuto of the way that has room for the most.
  template <typename W>
  size_t MaxCount(AllReduceWay way) const;

  // What kAuto is for so many elements: the way that the crossovers say, or without room there the next one that has it.
  template <typename W>
  AllReduceWay WayFor(size_t count) const;

  // Unavailable: a rank did not come within the timeout, so that sums since then are none. Does not wait.
  absl::Status Health() const;

 private:
  DeviceAllReduce(const DeviceAllReduceOptions& options, size_t packets_each)
      : options_(options), packets_each_(packets_each) {}

  absl::Status Init(const GatherBytes& gather);
  // Where `of`'s part of a copied sum's share comes to, in `rank`'s memory.
  uint8_t* Incoming(int rank, int of) const;
  template <typename W>
  absl::Status SumByCopies(const W* from, W* to, size_t count, cudaStream_t stream, uint32_t most_blocks);
  template <typename W>
  CopiedParts<W> Parts(const W* from, size_t count) const;
  bool IsShared(const void* data, size_t bytes) const;
  // Where each rank has what this one has at `data`, in shared().
  template <typename T>
  OfEachRank<T> OnEachRank(T* data) const;

  const DeviceAllReduceOptions options_;
  const size_t packets_each_;
  std::unique_ptr<PeerDeviceMemory> pieces_;
  std::unique_ptr<DeviceFlags> flags_;
  PeerAllReduceMemory memory_;
  std::unique_ptr<CopiedCollectives> copied_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DEVICE_ALL_REDUCE_H_
