// Collectives over the GPUs of a host by their copy engines, for much: they fill a link further than kernels do.
//
//   Sum            each rank is sent the others' part of its share, adds it up (lib/kernels/rank_sum.h), and sends the sum
//                  to the others. A share goes in two pieces, so that the second is under way while the first is added up
//   ReduceScatter  the first half of it: every rank has the sum of its share
//   AllGather      the second half: every rank sends its share to the others
//   Broadcast      one rank sends all to every other
//
// Each is queued behind `stream`, which goes on when the result is there and what was given may be written over. Of all
// ranks, in the same order. Can be captured. A rank that does not come is reported as by AwaitPeerFlags.
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
#include "lib/kernels/peer_flags.h"

namespace lockstep {

// A place in each rank's memory, as mapped here.
template <typename T>
using OfEachRank = std::array<T*, kMaxPeerRanks>;

// What a rank sends to be added up, and what it is sent. Pointers are of the device. W: float or __nv_bfloat16.
template <typename W>
struct CopiedParts {
  size_t count = 0;                   // any, and the same on every rank
  const W* from = nullptr;            // this rank's
  OfEachRank<W> sent = {};            // where each other rank finds this one's part of its share (ShareOf)
  OfEachRank<const W> received = {};  // where this rank finds each other's part; room for MaxShare
};

class CopiedCollectives {
 public:
  // Uses four rows of `flags`, whose epoch it raises by one a call.
  static absl::StatusOr<std::unique_ptr<CopiedCollectives>> Make(const PeerFlags& flags);
  ~CopiedCollectives();
  CopiedCollectives(const CopiedCollectives&) = delete;
  CopiedCollectives& operator=(const CopiedCollectives&) = delete;

  // `to`: each rank's sum; this rank's may be `from`. Kernels have most_blocks blocks at most; 0: as fast as it goes.
  template <typename W>
  absl::Status Sum(const CopiedParts<W>& parts, const OfEachRank<W>& to, cudaStream_t stream, uint32_t most_blocks);

  // `to`: this rank's share, which may be its place in `from`.
  template <typename W>
  absl::Status ReduceScatter(const CopiedParts<W>& parts, W* to, cudaStream_t stream, uint32_t most_blocks);

  // `to`: all shares of `bytes` bytes on each rank. `from`: this rank's, which may be its place in `to`.
  absl::Status AllGather(const uint8_t* from, const OfEachRank<uint8_t>& to, size_t bytes, cudaStream_t stream);

  // `data`: of each rank; becomes that of `root`.
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
  absl::Status AddPiece(const CopiedParts<W>& parts, uint32_t piece, W* to, cudaStream_t stream, uint32_t most_blocks);

  const PeerFlags flags_;
  cudaStream_t copies_ = nullptr, told_ = nullptr;  // beside the caller's: copies; flags that say they are there
  cudaEvent_t begun_ = nullptr, told_all_ = nullptr, copied_ = nullptr;
  cudaEvent_t sent_[kPieces] = {}, added_[kPieces] = {};
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_COPIED_COLLECTIVES_H_
