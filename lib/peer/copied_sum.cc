#include "lib/peer/copied_sum.h"

#include <algorithm>

#include "lib/base/status_macros.h"
#include "lib/kernels/cuda_status.h"
#include "lib/kernels/rank_sum.h"

namespace lockstep {
namespace {

constexpr size_t kAlignment = 16;  // bytes

// A row a piece, from kSentRow on, and kEndRow behind them.
constexpr uint32_t kBeginRow = 0, kSentRow = 1, kEndRow = 3;

struct Range {
  size_t begin = 0, count = 0;
};

// Piece `piece` of `pieces` of a rank's share; the last ones may be shorter, or empty.
template <typename W>
Range PieceOf(size_t count, uint32_t rank, uint32_t ranks, uint32_t piece, uint32_t pieces) {
  constexpr size_t kStep = kAlignment / sizeof(W);
  const size_t share = MaxShare<W>(count, ranks), steps = share / kStep;
  const size_t from = rank * share + std::min(share, piece * ((steps + pieces - 1) / pieces) * kStep);
  const size_t to = rank * share + std::min(share, (piece + 1) * ((steps + pieces - 1) / pieces) * kStep);
  return {from, std::min(count, to) - std::min(count, from)};
}

template <typename W>
absl::Status Copy(W* to, const W* from, size_t count, cudaStream_t stream) {
  return count == 0 ? absl::OkStatus()
                    : CudaStatus(cudaMemcpyAsync(to, from, count * sizeof(W), cudaMemcpyDeviceToDevice, stream),
                                 "copying to another rank");
}

}  // namespace

template <typename W>
size_t MaxShare(size_t count, uint32_t ranks) {
  constexpr size_t kStep = kAlignment / sizeof(W);
  const size_t steps = (count + kStep - 1) / kStep;
  return (steps + ranks - 1) / ranks * kStep;
}

absl::StatusOr<std::unique_ptr<CopiedSum>> CopiedSum::Make(const PeerFlags& flags) {
  static_assert(kSentRow + kPieces == kEndRow, "a row a piece");
  std::unique_ptr<CopiedSum> sum(new CopiedSum(flags));
  for (cudaStream_t* const stream : sum->Streams()) {
    RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "a stream for copies"));
  }
  for (cudaEvent_t* const event : sum->Events()) {
    RETURN_IF_ERROR(CudaStatus(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "an event for copies"));
  }
  return sum;
}

std::vector<cudaStream_t*> CopiedSum::Streams() { return {&copies_, &told_}; }

std::vector<cudaEvent_t*> CopiedSum::Events() {
  std::vector<cudaEvent_t*> all = {&begun_, &told_all_, &copied_};
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    all.insert(all.end(), {&sent_[piece], &added_[piece]});
  }
  return all;
}

CopiedSum::~CopiedSum() {
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

absl::Status CopiedSum::Behind(cudaEvent_t event, cudaStream_t first, cudaStream_t then) {
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(event, first), "recording an event"));
  return CudaStatus(cudaStreamWaitEvent(then, event), "waiting for an event");
}

template <typename W>
absl::Status CopiedSum::Sum(const CopiedSumInput<W>& input, cudaStream_t stream, uint32_t most_blocks) {
  const uint32_t rank = flags_.rank, ranks = flags_.ranks;
  // A rank that has come has added up what the last call sent it, and its sum may be written.
  RETURN_IF_ERROR(CudaStatus(MeetPeers(flags_, kBeginRow, false, stream), "meeting the other ranks"));
  RETURN_IF_ERROR(Behind(begun_, stream, copies_));
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    for (uint32_t k = 1; k < ranks; ++k) {
      const uint32_t owner = (rank + k) % ranks;
      const Range range = PieceOf<W>(input.count, owner, ranks, piece, kPieces);
      const size_t at = range.begin - owner * MaxShare<W>(input.count, ranks);
      RETURN_IF_ERROR(Copy(input.sent[owner] + at, input.from + range.begin, range.count, copies_));
    }
    RETURN_IF_ERROR(Behind(sent_[piece], copies_, told_));
    RETURN_IF_ERROR(CudaStatus(RaisePeerFlags(flags_, kSentRow + piece, false, told_), "telling the other ranks"));
  }
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    const Range range = PieceOf<W>(input.count, rank, ranks, piece, kPieces);
    const size_t at = range.begin - rank * MaxShare<W>(input.count, ranks);
    RETURN_IF_ERROR(CudaStatus(AwaitPeerFlags(flags_, kSentRow + piece, 0, stream), "awaiting the other ranks"));
    RankSumInput<W> sum;
    sum.count = range.count;
    sum.ranks = ranks;
    for (uint32_t from = 0; from < ranks; ++from) {
      sum.from[from] = from == rank ? input.from + range.begin : input.received[from] + at;
    }
    sum.to = input.all_to[rank] + range.begin;
    RETURN_IF_ERROR(CudaStatus(RankSum(sum, stream, most_blocks), "adding up what was sent"));
    RETURN_IF_ERROR(Behind(added_[piece], stream, copies_));
    for (uint32_t k = 1; k < ranks; ++k) {
      RETURN_IF_ERROR(Copy(input.all_to[(rank + k) % ranks] + range.begin, sum.to, range.count, copies_));
    }
  }
  RETURN_IF_ERROR(Behind(copied_, copies_, stream));
  RETURN_IF_ERROR(Behind(told_all_, told_, stream));
  return CudaStatus(MeetPeers(flags_, kEndRow, true, stream), "meeting the other ranks");
}

template size_t MaxShare<float>(size_t, uint32_t);
template size_t MaxShare<__nv_bfloat16>(size_t, uint32_t);
template absl::Status CopiedSum::Sum(const CopiedSumInput<float>&, cudaStream_t, uint32_t);
template absl::Status CopiedSum::Sum(const CopiedSumInput<__nv_bfloat16>&, cudaStream_t, uint32_t);

}  // namespace lockstep
