// ExchangeProtocol: the order of copies, flags and sums by which the ranks of one host exchange gradients through peer
// memory, range by range and step by step. No buffer is overwritten before it has been read. The operations are
// injected (PeerOperations), so that a test can run the protocol without a GPU.
//
// Every rank has one receive buffer per other rank and range. Two streams work on each range:
//
//   sending:  [first range of a step only: tell every other rank that the last step's buffers have been read; begin the
//             next epoch; wait for the same message from every other rank]
//             copy the range to each other rank; raise the range's flag at each
//   adding:   wait until the own copies are done; wait for the range's flag of each other rank; add the ranges
//
// The message that the buffers have been read is sent with the first range of the next step, not at the end of the
// step, where the next step would wait for it. By the time of that range, the last step's sums have long been computed.
//
// With a sharded update, each rank receives only its own share of the gradients and updates that share of the weights.
// The adding stream then also writes the new weights of the share to every other rank. The others learn of this from
// the flag of a later small range, or from an extra flag at the end of the step. Writing into their memory is safe: a
// rank sends its gradients of a range only after it has read the range's weights for the last time in this step, the
// new weights are written only after these gradients have arrived, and the rank begins the next step only after that
// flag.
//
// A sum in two halves (lib/reducer/peer_exchange.h) takes two rows, and one stream for all of the second half. The
// second half may use the buffers of the first half, because it writes the sender's share of a buffer, and the first
// half the receiver's. It begins after the flags of the first half, so the last step's shares have been read by then.
//
// A small range after the first uses one fused launch on the adding stream (SendAndAdd). It need not wait for readers,
// because the first range of the step has done so.
//
// Safety: a rank writes gradients of a step into another rank's memory only after that rank has confirmed that it has
// read those of the last step. Hence one buffer per range is enough, and a captured step may be replayed any number of
// times.
//
// Progress: a rank waits only for messages that each other rank sends before that rank itself waits for anything of the
// same range. Hence the slowest rank never waits.
#ifndef LOCKSTEP_LIB_PEER_EXCHANGE_PROTOCOL_H_
#define LOCKSTEP_LIB_PEER_EXCHANGE_PROTOCOL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/peer/peer_epoch.h"

namespace lockstep {

enum class PeerStream { kSending, kAdding };

// Operations of one rank on one range. Each call queues an operation on its stream and does not wait for it. There is
// one flag per row and raising rank; it holds the epoch at which that rank last raised it.
class PeerOperations {
 public:
  virtual ~PeerOperations() = default;

  // Makes the sending stream wait until this rank's range is ready.
  virtual absl::Status SendWhenReady() = 0;
  // Copies this rank's range to its buffer in the memory of `rank`, on the sending stream.
  virtual absl::Status CopyTo(uint32_t rank) = 0;
  // Makes the adding stream wait until all operations queued so far on the sending stream are done.
  virtual absl::Status AddWhenSent() = 0;
  // Adds the received ranges to this rank's range, on the adding stream.
  virtual absl::Status Add() = 0;
  // Makes the adding stream wait until this rank's range is ready.
  virtual absl::Status AddWhenReady() = 0;
  // Does CopyTo for every other rank, Raise(row), Await(row) and Add in one launch on the adding stream.
  virtual absl::Status SendAndAdd(uint32_t row) = 0;
  // Raises this rank's flag of `row` at every other rank to the current epoch. Then increments the epoch if `epoch` is
  // kNext.
  virtual absl::Status Raise(PeerStream stream, uint32_t row, PeerEpoch epoch) = 0;
  // Waits until every other rank's flag of `row` is at least the current epoch minus `behind`.
  virtual absl::Status Await(PeerStream stream, uint32_t row, uint32_t behind) = 0;
};

struct RangeOptions {
  bool small = false;           // selects the fused launch
  bool behind_weights = false;  // must be true only if the adding stream runs after all weights written so far
};

class ExchangeProtocol {
 public:
  static constexpr uint32_t kReadRow = 0, kFirstRangeRow = 1;

  ExchangeProtocol(uint32_t rank, uint32_t ranks) : rank_(rank), ranks_(ranks) {}

  // Queues the exchange of the step's next range. Returns the errors of `operations`. After an error, the protocol must
  // not be used any more.
  absl::Status Sum(PeerOperations& operations, const RangeOptions& options);

  // Must be called after Sum of a range with a sharded update, once writing this rank's share to all others is queued.
  void WeightsWritten() { weights_unannounced_ = true; }

  // Ends the step. Must be called after the step's last range.
  absl::Status EndStep(PeerOperations& operations);

  // Returns the row of the next range's flag.
  uint32_t row() const { return row_; }

 private:
  const uint32_t rank_, ranks_;
  uint32_t row_ = kFirstRangeRow;
  bool weights_unannounced_ = false;  // true if weights were written and no flag has been raised after them
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_EXCHANGE_PROTOCOL_H_
