#include "lib/peer/copied_collectives.h"

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/follow_stream.h"
#include "lib/kernels/rank_sum.h"
#include "lib/peer/rank_share.h"

namespace lockstep {
namespace {

// Rows of the flags. Each piece has its own row, from kSentRow on.
constexpr uint32_t kBeginRow = 0, kSentRow = 1, kEndRow = 3;

template <typename W>
absl::Status Copy(W* to, const W* from, size_t count, cudaStream_t stream) {
  return count == 0 || to == from
             ? absl::OkStatus()
             : CudaStatus(cudaMemcpyAsync(to, from, count * sizeof(W), cudaMemcpyDeviceToDevice, stream),
                          "copying to another rank");
}

}  // namespace

absl::StatusOr<std::unique_ptr<CopiedCollectives>> CopiedCollectives::Make(const PeerFlags& flags) {
  static_assert(kSentRow + kPieces == kEndRow, "a row a piece");
  std::unique_ptr<CopiedCollectives> made(new CopiedCollectives(flags));
  for (cudaStream_t* const stream : made->Streams()) {
    RETURN_IF_ERROR(
        CudaStatus(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "creating a stream for copies"));
  }
  for (cudaEvent_t* const event : made->Events()) {
    RETURN_IF_ERROR(
        CudaStatus(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event for copies"));
  }
  return made;
}

std::vector<cudaStream_t*> CopiedCollectives::Streams() { return {&copies_, &signals_}; }

std::vector<cudaEvent_t*> CopiedCollectives::Events() {
  std::vector<cudaEvent_t*> all = {&begun_, &signals_done_, &copied_};
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    all.insert(all.end(), {&sent_[piece], &added_[piece]});
  }
  return all;
}

CopiedCollectives::~CopiedCollectives() {
  for (cudaStream_t* const stream : Streams()) {
    if (*stream != nullptr) {
      cudaStreamSynchronize(*stream);
      cudaStreamDestroy(*stream);
    }
  }
  for (cudaEvent_t* const event : Events()) {
    if (*event != nullptr) {
      cudaEventDestroy(*event);
    }
  }
}

// Waits until all ranks have come to this call. Each has then added the parts that it received in the last call, and
// its result may be written.
absl::Status CopiedCollectives::Begin(cudaStream_t stream) {
  RETURN_IF_ERROR(CudaStatus(PeerBarrier(flags_, kBeginRow, PeerEpoch::kSame, stream), "barrier of the ranks"));
  return FollowStream(begun_, stream, copies_);
}

template <typename W>
absl::Status CopiedCollectives::SendParts(const CopiedParts<W>& parts) {
  const uint32_t ranks = flags_.ranks;
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    for (uint32_t k = 1; k < ranks; ++k) {
      const uint32_t owner = (flags_.rank + k) % ranks;
      const ShareRange range = PieceOf(parts.count, sizeof(W), owner, ranks, piece, kPieces);
      const size_t at = range.begin - ShareOf(parts.count, sizeof(W), owner, ranks).begin;
      RETURN_IF_ERROR(Copy(parts.sent[owner] + at, parts.from + range.begin, range.count, copies_));
    }
    RETURN_IF_ERROR(FollowStream(sent_[piece], copies_, signals_));
    RETURN_IF_ERROR(
        CudaStatus(RaisePeerFlags(flags_, kSentRow + piece, PeerEpoch::kSame, signals_), "signalling the other ranks"));
  }
  return absl::OkStatus();
}

template <typename W>
absl::Status CopiedCollectives::AddPiece(const CopiedParts<W>& parts, uint32_t piece, W* to, cudaStream_t stream,
                                         uint32_t max_blocks) {
  const uint32_t rank = flags_.rank, ranks = flags_.ranks;
  const ShareRange range = PieceOf(parts.count, sizeof(W), rank, ranks, piece, kPieces);
  const size_t at = range.begin - ShareOf(parts.count, sizeof(W), rank, ranks).begin;
  RETURN_IF_ERROR(CudaStatus(AwaitPeerFlags(flags_, kSentRow + piece, 0, stream), "waiting for the other ranks"));
  RankSumInput<W> sum;
  sum.count = range.count;
  sum.ranks = ranks;
  for (uint32_t from = 0; from < ranks; ++from) {
    sum.from[from] = from == rank ? parts.from + range.begin : parts.received[from] + at;
  }
  sum.to = to + at;
  return CudaStatus(RankSum(sum, stream, max_blocks), "adding up what was sent");
}

template <typename W>
absl::Status CopiedCollectives::Sum(const CopiedParts<W>& parts, const OfEachRank<W>& to, cudaStream_t stream,
                                    uint32_t max_blocks) {
  const uint32_t rank = flags_.rank, ranks = flags_.ranks;
  RETURN_IF_ERROR(Begin(stream));
  RETURN_IF_ERROR(SendParts(parts));
  W* const share = to[rank] + ShareOf(parts.count, sizeof(W), rank, ranks).begin;
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    RETURN_IF_ERROR(AddPiece(parts, piece, share, stream, max_blocks));
    RETURN_IF_ERROR(FollowStream(added_[piece], stream, copies_));
    const ShareRange range = PieceOf(parts.count, sizeof(W), rank, ranks, piece, kPieces);
    for (uint32_t k = 1; k < ranks; ++k) {
      RETURN_IF_ERROR(Copy(to[(rank + k) % ranks] + range.begin, to[rank] + range.begin, range.count, copies_));
    }
  }
  RETURN_IF_ERROR(FollowStream(copied_, copies_, stream));
  RETURN_IF_ERROR(FollowStream(signals_done_, signals_, stream));
  return CudaStatus(PeerBarrier(flags_, kEndRow, PeerEpoch::kNext, stream), "barrier of the ranks");
}

// Does not wait for the other ranks at the end: the received parts have been added, and the sent parts have left. A
// rank receives the next parts or packets only after it has come to the next call, and has then finished this one.
template <typename W>
absl::Status CopiedCollectives::ReduceScatter(const CopiedParts<W>& parts, W* to, cudaStream_t stream,
                                              uint32_t max_blocks) {
  RETURN_IF_ERROR(Begin(stream));
  RETURN_IF_ERROR(SendParts(parts));
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    RETURN_IF_ERROR(AddPiece(parts, piece, to, stream, max_blocks));
  }
  RETURN_IF_ERROR(FollowStream(copied_, copies_, stream));
  RETURN_IF_ERROR(FollowStream(signals_done_, signals_, stream));
  return CudaStatus(RaisePeerFlags(flags_, kEndRow, PeerEpoch::kNext, stream), "signalling the other ranks");
}

absl::Status CopiedCollectives::AllGather(const uint8_t* from, const OfEachRank<uint8_t>& to, size_t bytes,
                                          cudaStream_t stream) {
  const uint32_t rank = flags_.rank, ranks = flags_.ranks;
  const ShareRange share = ShareOf(bytes, 1, rank, ranks);
  RETURN_IF_ERROR(Begin(stream));
  for (uint32_t k = 1; k < ranks; ++k) {
    RETURN_IF_ERROR(Copy(to[(rank + k) % ranks] + share.begin, from, share.count, copies_));
  }
  RETURN_IF_ERROR(Copy(to[rank] + share.begin, from, share.count, stream));
  RETURN_IF_ERROR(FollowStream(copied_, copies_, stream));
  return CudaStatus(PeerBarrier(flags_, kEndRow, PeerEpoch::kNext, stream), "barrier of the ranks");
}

absl::Status CopiedCollectives::Broadcast(const OfEachRank<uint8_t>& data, size_t bytes, uint32_t root,
                                          cudaStream_t stream) {
  RETURN_IF_ERROR(Begin(stream));
  for (uint32_t k = 1; flags_.rank == root && k < flags_.ranks; ++k) {
    RETURN_IF_ERROR(Copy(data[(root + k) % flags_.ranks], data[root], bytes, copies_));
  }
  RETURN_IF_ERROR(FollowStream(copied_, copies_, stream));
  return CudaStatus(PeerBarrier(flags_, kEndRow, PeerEpoch::kNext, stream), "barrier of the ranks");
}

#define LOCKSTEP_INSTANTIATE(W)                                                                                      \
  template absl::Status CopiedCollectives::Sum(const CopiedParts<W>&, const OfEachRank<W>&, cudaStream_t, uint32_t); \
  template absl::Status CopiedCollectives::ReduceScatter(const CopiedParts<W>&, W*, cudaStream_t, uint32_t);
LOCKSTEP_INSTANTIATE(float)
LOCKSTEP_INSTANTIATE(__nv_bfloat16)
#undef LOCKSTEP_INSTANTIATE

}  // namespace lockstep
