// Collectives over the GPUs of a host by their copy engines, for large sizes, at which copy engines use more of a
// link's bandwidth than kernels.
//
//   Sum            Each rank receives the others' parts of its share, adds them (lib/kernels/rank_sum.h), and sends
//                  the sum to the others. A share is sent in two pieces: the second is sent while the first is added.
//   ReduceScatter  The first half of Sum: every rank gets the sum of its share.
//   AllGather      The second half of Sum: every rank sends its share to the others.
//   Broadcast      One rank sends all data to every other rank.
//
// Each collective is queued on `stream`. Later work on `stream` runs when the result is complete and the inputs may be
// overwritten. All ranks must make the same calls in the same order. Can be captured. A rank that does not come is
// reported like in AwaitPeerFlags.
#ifndef LOCKSTEP_LIB_PEER_COPIED_COLLECTIVES_H_
#define LOCKSTEP_LIB_PEER_COPIED_COLLECTIVES_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/peer_flags.h"

namespace lockstep {

// A pointer into each rank's memory, as mapped in this process.
template <typename T>
using OfEachRank = std::array<T*, kMaxPeerRanks>;

// Send and receive buffers of one rank, in device memory. W: float or __nv_bfloat16.
template <typename W>
struct CopiedParts {
  size_t count = 0;                   // number of elements, any; must be the same on every rank
  const W* from = nullptr;            // data of this rank
  OfEachRank<W> sent = {};            // buffer in each other rank for this rank's part of that rank's share (ShareOf)
  OfEachRank<const W> received = {};  // buffer in this rank for each other rank's part, of MaxShare elements
};

class CopiedCollectives {
 public:
  // Creates streams and events. The collectives use four rows of `flags`, and each call increments the epoch by one.
  static absl::StatusOr<std::unique_ptr<CopiedCollectives>> Make(const PeerFlags& flags);
  ~CopiedCollectives();
  CopiedCollectives(const CopiedCollectives&) = delete;
  CopiedCollectives& operator=(const CopiedCollectives&) = delete;

  // `to` is the buffer for the sum in each rank; this rank's may be `from`. Kernels use at most max_blocks blocks; 0:
  // as many as are fastest.
  template <typename W>
  absl::Status Sum(const CopiedParts<W>& parts, const OfEachRank<W>& to, cudaStream_t stream, uint32_t max_blocks);

  // `to` is the buffer for this rank's share; it may be the share's place in `from`.
  template <typename W>
  absl::Status ReduceScatter(const CopiedParts<W>& parts, W* to, cudaStream_t stream, uint32_t max_blocks);

  // `to` is the buffer of `bytes` bytes for all shares in each rank. `from` is this rank's share; it may be the share's
  // place in `to`.
  absl::Status AllGather(const uint8_t* from, const OfEachRank<uint8_t>& to, size_t bytes, cudaStream_t stream);

  // `data` is the buffer in each rank; it receives the data of `root`.
  absl::Status Broadcast(const OfEachRank<uint8_t>& data, size_t bytes, uint32_t root, cudaStream_t stream);

 private:
  static constexpr uint32_t kPieces = 2;

  explicit CopiedCollectives(const PeerFlags& flags) : flags_(flags) {}
  std::vector<cudaStream_t*> Streams();
  std::vector<cudaEvent_t*> Events();
  absl::Status Begin(cudaStream_t stream);
  template <typename W>
  absl::Status SendParts(const CopiedParts<W>& parts);
  template <typename W>
  absl::Status AddPiece(const CopiedParts<W>& parts, uint32_t piece, W* to, cudaStream_t stream, uint32_t max_blocks);

  const PeerFlags flags_;
  cudaStream_t copies_ = nullptr;   // stream for copies
  cudaStream_t signals_ = nullptr;  // stream for flags that announce finished copies
  cudaEvent_t begun_ = nullptr, signals_done_ = nullptr, copied_ = nullptr;
  cudaEvent_t sent_[kPieces] = {}, added_[kPieces] = {};
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_COPIED_COLLECTIVES_H_
