#include "lib/peer/exchange_protocol.h"

#include "lib/base/status_macros.h"

namespace lockstep {

// Each rank sends to the next rank first, so that not all ranks send to rank 0 at the same time.
absl::Status ExchangeProtocol::Sum(PeerOperations& operations, const RangeOptions& options) {
  const bool first = row_ == kFirstRangeRow;
  if (options.small && !first) {
    weights_unannounced_ = weights_unannounced_ && !options.behind_weights;
    RETURN_IF_ERROR(operations.AddWhenReady());
    return operations.SendAndAdd(row_++);
  }
  RETURN_IF_ERROR(operations.SendWhenReady());
  if (first) {
    RETURN_IF_ERROR(operations.Raise(PeerStream::kSending, kReadRow, PeerEpoch::kNext));
    RETURN_IF_ERROR(operations.Await(PeerStream::kSending, kReadRow, /*behind=*/1));
  }
  for (uint32_t step = 1; step < ranks_; ++step) {
    RETURN_IF_ERROR(operations.CopyTo((rank_ + step) % ranks_));
  }
  RETURN_IF_ERROR(operations.Raise(PeerStream::kSending, row_, PeerEpoch::kSame));
  RETURN_IF_ERROR(operations.AddWhenSent());
  RETURN_IF_ERROR(operations.Await(PeerStream::kAdding, row_, /*behind=*/0));
  RETURN_IF_ERROR(operations.Add());
  ++row_;
  return absl::OkStatus();
}

absl::Status ExchangeProtocol::EndStep(PeerOperations& operations) {
  if (weights_unannounced_) {
    RETURN_IF_ERROR(operations.Raise(PeerStream::kAdding, row_, PeerEpoch::kSame));
    RETURN_IF_ERROR(operations.Await(PeerStream::kAdding, row_, /*behind=*/0));
    weights_unannounced_ = false;
  }
  row_ = kFirstRangeRow;
  return absl::OkStatus();
}

}  // namespace lockstep
