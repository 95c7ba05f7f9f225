#include "lib/reducer/peer_range_operations.h"

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/follow_stream.h"
#include "lib/kernels/rank_sum.h"
#include "lib/peer/peer_sum.h"

namespace lockstep {

absl::Status PeerRangeOperations::SendWhenReady() { return FollowStream(queue_.ready, range_.ready, sending_); }

absl::Status PeerRangeOperations::CopyTo(uint32_t rank) {
  uint8_t* const slot = buffers_.SlotAt(static_cast<int>(rank), buffers_.rank());
  const auto* const data = static_cast<const uint8_t*>(range_.data);
  const RankShare share = parts_ == ArrivedParts::kLeaveShare   ? ShareOf(range_.count, rank, ranks())
                          : parts_ == ArrivedParts::kTakeShares ? ShareOf(range_.count, this->rank(), ranks())
                                                                : RankShare{0, range_.count};
  return Copy(slot, data, share, sending_, "sending gradients");
}

absl::Status PeerRangeOperations::AddWhenSent() { return FollowStream(queue_.sent, sending_, range_.then); }

absl::Status PeerRangeOperations::Add() {
  if (parts_ == ArrivedParts::kTakeShares) {
    return TakeShares();
  }
  return parts_ != ArrivedParts::kAdd
             ? absl::OkStatus()
             : CudaStatus(range_.type == CommunicationDtype::kBf16 ? LaunchAdd<__nv_bfloat16>() : LaunchAdd<float>(),
                          "adding gradients");
}

absl::Status PeerRangeOperations::AddWhenReady() { return FollowStream(queue_.ready, range_.ready, range_.then); }

absl::Status PeerRangeOperations::SendAndAdd(uint32_t row) {
  if (together_ != nullptr) {
    together_->row = row;
    return absl::OkStatus();
  }
  return CudaStatus(
      range_.type == CommunicationDtype::kBf16 ? LaunchSendAndAdd<__nv_bfloat16>(row) : LaunchSendAndAdd<float>(row),
      "summing gradients");
}

absl::Status PeerRangeOperations::Raise(PeerStream stream, uint32_t row, PeerEpoch epoch) {
  return CudaStatus(RaisePeerFlags(queue_.flags, row, epoch, Of(stream)), "signalling the other ranks");
}

absl::Status PeerRangeOperations::Await(PeerStream stream, uint32_t row, uint32_t behind) {
  return CudaStatus(AwaitPeerFlags(queue_.flags, row, behind, Of(stream)), "waiting for the other ranks");
}

absl::Status PeerRangeOperations::Copy(uint8_t* to, const uint8_t* from, const RankShare& share, cudaStream_t stream,
                                       const char* what) const {
  const size_t element = BytesPerElement(range_.type);
  return share.count == 0 ? absl::OkStatus()
                          : CudaStatus(cudaMemcpyAsync(to + share.begin * element, from + share.begin * element,
                                                       share.count * element, cudaMemcpyDeviceToDevice, stream),
                                       what);
}

absl::Status PeerRangeOperations::TakeShares() const {
  for (uint32_t from = 0; from < ranks(); ++from) {
    const RankShare share = ShareOf(range_.count, from, ranks());
    RETURN_IF_ERROR(from == rank() ? absl::OkStatus()
                                   : Copy(static_cast<uint8_t*>(range_.data),
                                          buffers_.SlotAt(buffers_.rank(), static_cast<int>(from)), share, range_.then,
                                          "reading the other ranks' shares"));
  }
  return absl::OkStatus();
}

template <typename W>
cudaError_t PeerRangeOperations::LaunchAdd() const {
  RankSumInput<W> input;
  input.count = range_.count;
  input.ranks = ranks();
  for (int rank = 0; rank < buffers_.size(); ++rank) {
    input.from[rank] =
        static_cast<const W*>(rank == buffers_.rank() ? range_.data : buffers_.SlotAt(buffers_.rank(), rank));
  }
  input.to = static_cast<W*>(range_.data);
  return RankSum(input, range_.then, range_.max_multiprocessors);
}

template <typename W>
cudaError_t PeerRangeOperations::LaunchSendAndAdd(uint32_t row) const {
  PeerSumInput<W> input;
  input.count = range_.count;
  input.data = static_cast<W*>(range_.data);
  for (int rank = 0; rank < buffers_.size(); ++rank) {
    input.sent[rank] = reinterpret_cast<W*>(buffers_.SlotAt(rank, buffers_.rank()));
    input.received[rank] = reinterpret_cast<const W*>(buffers_.SlotAt(buffers_.rank(), rank));
  }
  return PeerSum(queue_.flags, row, input, range_.then);
}

}  // namespace lockstep
