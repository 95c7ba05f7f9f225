// Operations of lib/peer/exchange_protocol.h for one range of gradients, queued on CUDA streams: copies by copy
// engines, flags, and additions by kernels.
#ifndef LOCKSTEP_LIB_REDUCER_PEER_RANGE_OPERATIONS_H_
#define LOCKSTEP_LIB_REDUCER_PEER_RANGE_OPERATIONS_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "absl/status/status.h"
#include "lib/fused/addend_exchange.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/peer/exchange_protocol.h"
#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_update.h"
#include "lib/reducer/peer_buffers.h"

namespace lockstep {

// Handling of a range whose parts have arrived from all ranks.
enum class ArrivedParts {
  kAdd,         // the range becomes the sum
  kLeave,       // parts stay in the receive buffers
  kLeaveShare,  // parts stay, and each rank receives only its share of them
  kTakeShares,  // each rank sends its own share to all, and the received shares are copied into the range
};

// Flags, sending stream and events of an exchange.
struct PeerQueue {
  PeerFlags flags;
  cudaStream_t sending = nullptr;
  cudaEvent_t ready = nullptr, sent = nullptr;
};

class PeerRangeOperations : public PeerOperations {
 public:
  // `buffers` and `queue` must outlive this object, and the offset of `buffers` must be that of the range. If
  // `together` is not null, SendAndAdd only stores the row there.
  PeerRangeOperations(const PeerBuffers& buffers, const PeerQueue& queue, const RangeToSum& range, ArrivedParts parts,
                      PeerPush* together = nullptr)
      : buffers_(buffers), queue_(queue), range_(range), parts_(parts), together_(together), sending_(queue.sending) {}

  // Replaces the queue's stream as the sending stream.
  void SendOn(cudaStream_t stream) { sending_ = stream; }

  absl::Status SendWhenReady() override;
  // Copies a shared range in shares: the share that `rank` updates, or the share that this rank updated.
  absl::Status CopyTo(uint32_t rank) override;
  absl::Status AddWhenSent() override;
  absl::Status Add() override;
  absl::Status AddWhenReady() override;
  absl::Status SendAndAdd(uint32_t row) override;
  absl::Status Raise(PeerStream stream, uint32_t row, PeerEpoch epoch) override;
  absl::Status Await(PeerStream stream, uint32_t row, uint32_t behind) override;

 private:
  absl::Status Copy(uint8_t* to, const uint8_t* from, const RankShare& share, cudaStream_t stream,
                    const char* what) const;
  absl::Status TakeShares() const;
  template <typename W>
  cudaError_t LaunchAdd() const;
  template <typename W>
  cudaError_t LaunchSendAndAdd(uint32_t row) const;

  uint32_t rank() const { return static_cast<uint32_t>(buffers_.rank()); }
  uint32_t ranks() const { return static_cast<uint32_t>(buffers_.size()); }
  cudaStream_t Of(PeerStream stream) const { return stream == PeerStream::kSending ? sending_ : range_.then; }

  const PeerBuffers& buffers_;
  const PeerQueue& queue_;
  const RangeToSum range_;
  const ArrivedParts parts_;
  PeerPush* const together_;
  cudaStream_t sending_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_PEER_RANGE_OPERATIONS_H_
