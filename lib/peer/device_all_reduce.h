// Sums over the GPUs of a host, which reach into each other's memory: in fp32, in the order of the ranks, rounded once.
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
#include "lib/peer/copied_sum.h"
#include "lib/peer/device_flags.h"
#include "lib/peer/device_memory.h"
#include "lib/peer/gather_bytes.h"

namespace lockstep {

// The first two by packets (lib/kernels/peer_all_reduce.h), the third by copy engines (copied_sum.h). Which is the fastest
// for how much: benchmarks/README.md, "All-reduce on GPUs".
enum class AllReduceWay { kOneShot, kTwoShots, kCopies };

struct DeviceAllReduceOptions {
  int rank = 0, size = 0;
  absl::Duration timeout;
  size_t shared_bytes = 0;              // of shared(), for kCopies, which takes as much again; all ranks as many
  size_t max_one_shot_bytes = 4 << 20;  // bytes; the room for packets is 2 x size times as large
};

// Several can be used at once, each on a stream of its own, where all ranks queue their calls in the same order, as NCCL
// wants it: streams share the GPU's queues, and a call that waits holds up what is queued behind it.
class DeviceAllReduce {
 public:
  // All ranks of a host call it, at once, each with its GPU as the current device. Errors as PeerDeviceMemory::Make.
  static absl::StatusOr<std::unique_ptr<DeviceAllReduce>> Make(const GatherBytes& gather,
                                                               const DeviceAllReduceOptions& options);
  // This rank's memory that all others reach, shared_bytes of it, aligned to 256 bytes.
  uint8_t* shared() const { return Shared(options_.rank); }

  // Queues: `to`, which may be `from`, becomes the sum over all ranks' `from`, of `count` elements, any number. Every
  // rank makes the same calls, on one stream. Can be captured, and replayed on that stream. Kernels have most_blocks
  // blocks at most; 0: as fast as it goes. W: float or __nv_bfloat16. InvalidArgument: too many for the way; or, for
  // kCopies, not in shared(), `to` at the same place on all ranks, or not aligned to 16 bytes.
  template <typename W>
  absl::Status Sum(AllReduceWay way, const W* from, W* to, size_t count, cudaStream_t stream, uint32_t most_blocks = 0);

  // The most elements of a call.
  template <typename W>
  size_t MaxCount(AllReduceWay way) const;

  // Unavailable: a rank did not come within the timeout, so that sums since then are none. Does not wait.
  absl::Status Health() const;

 private:
  DeviceAllReduce(const DeviceAllReduceOptions& options, size_t packets_each)
      : options_(options), packets_each_(packets_each) {}

  absl::Status Init(const GatherBytes& gather);
  uint8_t* Shared(int rank) const;
  // Where `of`'s part of a copied sum's share comes to, in `rank`'s memory.
  uint8_t* Incoming(int rank, int of) const;
  template <typename W>
  absl::Status SumByCopies(const W* from, W* to, size_t count, cudaStream_t stream, uint32_t most_blocks);
  bool IsShared(const void* data, size_t bytes) const;

  const DeviceAllReduceOptions options_;
  const size_t packets_each_;
  std::unique_ptr<PeerDeviceMemory> pieces_;
  std::unique_ptr<DeviceFlags> flags_;
  PeerAllReduceMemory memory_;
  std::unique_ptr<CopiedSum> copied_sum_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DEVICE_ALL_REDUCE_H_
