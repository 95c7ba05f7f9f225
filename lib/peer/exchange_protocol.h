// What the ranks of a host say to each other, in which order, so that each has all others' gradients, range by range and
// step by step, in memory that is never full and never overwritten too early. Who says it, a GPU or a test, is told.
//
//   stream "sending":  [first range: tell all others that the last step's are read; the next epoch begins; await the same
//                      of all others] -> copy to each -> raise the range's flag at each
//   stream "adding":   own copies are off -> await the range's flag of each -> add up
//
// What is read is told at the next step's first range and not at the end of the step, where the next step would wait for
// it: the first range is behind the last step's sums, and comes when there is time.
//
// Where each rank updates a share of the weights for all, a copy is of the share of the rank that it goes to, and "adding"
// goes on, range by range, with
//   write the share's new weights to all
//
// which the others know from the flag of a small range behind that, or else from one more at the end of the step. That is
// safe: a rank's weights are written when its gradients of them have come, which it sends when it reads the weights no
// more in this step; and it begins the next one behind that flag.
//
// A small range behind the first does it all in one launch on "adding", where the wait for readers is over by then.
//
// Safety: a rank writes a step's gradients to another only when that one has said that it read the last step's, so one
// place for them is enough, and a captured step may be replayed in any number. Progress: a rank waits only for what another
// sends before that one waits for anything of the same range, so the rank that is furthest behind never waits.
#ifndef LOCKSTEP_LIB_PEER_EXCHANGE_PROTOCOL_H_
#define LOCKSTEP_LIB_PEER_EXCHANGE_PROTOCOL_H_

#include <cstdint>

#include "absl/status/status.h"

namespace lockstep {

enum class PeerStream { kSending, kAdding };

// Each queues an operation behind those of its stream, and does not wait for it. A row's flag holds the epoch of who
// raised it last.
class PeerOperations {
 public:
  virtual ~PeerOperations() = default;

  // Sending goes on when this rank's range is ready.
  virtual absl::Status SendWhenReady() = 0;
  // To the rank's place for this rank's range.
  virtual absl::Status CopyTo(uint32_t rank) = 0;
  // Adding goes on when all that was queued for sending is done.
  virtual absl::Status AddWhenSent() = 0;
  // This rank's range and the others' places become the sum.
  virtual absl::Status Add() = 0;
  // Adding goes on when this rank's range is ready.
  virtual absl::Status AddWhenReady() = 0;
  // On the adding stream: CopyTo every other rank, Raise(row), Await(row) and Add, in one.
  virtual absl::Status SendAndAdd(uint32_t row) = 0;
  // At every other rank, to the epoch; with next_epoch that is one more behind it.
  virtual absl::Status Raise(PeerStream stream, uint32_t row, bool next_epoch) = 0;
  // Until every other rank's flag is the epoch less `behind`, or higher.
  virtual absl::Status Await(PeerStream stream, uint32_t row, uint32_t behind) = 0;
};

class ExchangeProtocol {
 public:
  static constexpr uint32_t kReadRow = 0, kFirstRangeRow = 1;

  ExchangeProtocol(uint32_t rank, uint32_t ranks) : rank_(rank), ranks_(ranks) {}

  // The step's next range; whether it is small. behind_weights: its adding stream is behind what was written so far.
  // Errors are of `operations`, which takes part in no more after one.
  absl::Status Sum(PeerOperations& operations, bool small, bool behind_weights = false);

  // Behind Sum of a range of which this rank updates a share: what is queued has written the share to all others.
  void WeightsWritten() { weights_untold_ = true; }

  // Behind the step's last range.
  absl::Status EndStep(PeerOperations& operations);

  // The flag of the next range.
  uint32_t row() const { return row_; }

 private:
  const uint32_t rank_, ranks_;
  uint32_t row_ = kFirstRangeRow;
  bool weights_untold_ = false;  // some were written, and no flag was raised behind them
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_EXCHANGE_PROTOCOL_H_
