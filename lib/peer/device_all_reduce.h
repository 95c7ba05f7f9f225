// All-reduce over the GPUs of a host, which access each other's memory. Sums are in fp32, in the order of the ranks,
// and rounded once. The two halves of a sum by copies (reduce-scatter and all-gather) and a broadcast are also
// available.
#ifndef LOCKSTEP_LIB_PEER_DEVICE_ALL_REDUCE_H_
#define LOCKSTEP_LIB_PEER_DEVICE_ALL_REDUCE_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/peer/all_reduce_crossovers.h"
#include "lib/peer/copied_collectives.h"
#include "lib/peer/device_flags.h"
#include "lib/peer/device_memory.h"
#include "lib/peer/gather_bytes.h"
#include "lib/peer/peer_all_reduce.h"

namespace lockstep {

struct DeviceAllReduceOptions {
  int rank = 0, size = 0;
  absl::Duration timeout;
  size_t shared_bytes = 0;              // bytes of shared(), same on all ranks; kCopies needs as much memory again
  size_t max_one_shot_bytes = 4 << 20;  // limit of kOneShot; the packet buffers have 2 x `size` times as many bytes
  AllReduceCrossovers crossovers;       // crossovers of kAuto; must be the same on all ranks
};

// Several objects may be used at the same time, each on its own stream. All ranks must then queue the calls of all
// objects in the same order, like for NCCL: streams share the GPU's queues, and a waiting call blocks calls that are
// queued after it.
class DeviceAllReduce {
 public:
  // Allocates the memory. All ranks of a host must call this function at the same time, each with its GPU as the
  // current device. Errors are those of PeerDeviceMemory::Make.
  static absl::StatusOr<std::unique_ptr<DeviceAllReduce>> Make(const GatherBytes& gather,
                                                               const DeviceAllReduceOptions& options);
  // Returns the shared memory of this rank (shared_of: of any rank, as mapped in this process): shared_bytes bytes that
  // all ranks can access, aligned to 256 bytes.
  uint8_t* shared() const { return shared_of(options_.rank); }
  uint8_t* shared_of(int rank) const;

  // Queues a sum: `to`, which may be `from`, becomes the sum of `from` over all ranks. `count` may be any number up to
  // MaxCount. Every rank must make the same calls, on one stream. The call can be captured, and replayed on that
  // stream. Kernels use at most max_blocks blocks; 0: as many as are fastest. W: float or __nv_bfloat16.
  //
  // For kCopies, also if kAuto selects it, `from` and `to` must be in shared() and aligned to 16 bytes, and `to` must
  // be at the same offset on all ranks. Returns InvalidArgumentError if `count` is too large, or for kCopies if `from`
  // or `to` is not in shared() or not aligned.
  template <typename W>
  absl::Status Sum(AllReduceWay way, const W* from, W* to, size_t count, cudaStream_t stream, uint32_t max_blocks = 0);

  // The following collectives are queued and captured in the same way, and use copies. Shares are those of
  // rank_share.h.

  // Queues a reduce-scatter: `to` becomes this rank's share of the sum of `from` over all ranks. `to` may be the
  // share's place in `from`. Returns InvalidArgumentError if `count` is more than MaxCount of kCopies.
  template <typename W>
  absl::Status ReduceScatter(const W* from, W* to, size_t count, cudaStream_t stream, uint32_t max_blocks = 0);

  // Queues an all-gather: `to`, of `bytes` bytes, receives the shares of all ranks. `from` is this rank's share, and
  // may be the share's place in `to`. `to` must be in shared(), at the same offset on all ranks. Returns
  // InvalidArgumentError if `to` is not in shared().
  absl::Status AllGather(const void* from, void* to, size_t bytes, cudaStream_t stream);

  // Queues a broadcast: `data` becomes that of `root`. `data` must be in shared(), at the same offset on all ranks.
  // Returns InvalidArgumentError if `data` is not in shared(), or `root` is not a rank.
  absl::Status Broadcast(void* data, size_t bytes, int root, cudaStream_t stream);

  // Returns the maximum number of elements of a sum with algorithm `way`; for kAuto, the maximum over all algorithms.
  template <typename W>
  size_t MaxCount(AllReduceWay way) const;

  // Returns the algorithm that kAuto uses for `count` elements: that of the crossovers, or the next one whose buffers
  // are large enough.
  template <typename W>
  AllReduceWay WayFor(size_t count) const;

  // Returns UnavailableError if a rank did not arrive within the timeout; sums since then are invalid. Does not wait.
  absl::Status Health() const;

 private:
  DeviceAllReduce(const DeviceAllReduceOptions& options, size_t packets_each)
      : options_(options), packets_each_(packets_each) {}

  absl::Status Init(const GatherBytes& gather);
  // Returns the buffer in the memory of `rank` that receives the part of rank `of` in a sum by copies.
  uint8_t* Incoming(int rank, int of) const;
  template <typename W>
  absl::Status SumByCopies(const W* from, W* to, size_t count, cudaStream_t stream, uint32_t max_blocks);
  template <typename W>
  CopiedParts<W> Parts(const W* from, size_t count) const;
  bool IsShared(const void* data, size_t bytes) const;
  // Returns the pointer in each rank's shared() at the same offset as `data` in this rank's.
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
