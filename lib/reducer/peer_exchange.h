// Exchange through peer memory (peer_exchange.cc) among some ranks of a run, and the steps of it that the exchange over
// several hosts uses (hierarchical_exchange.cc).
#ifndef LOCKSTEP_LIB_REDUCER_PEER_EXCHANGE_H_
#define LOCKSTEP_LIB_REDUCER_PEER_EXCHANGE_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/addend_exchange.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/peer/gather_bytes.h"
#include "lib/reducer/communicator_exchange.h"

namespace lockstep {

// Ranks whose GPUs share memory.
struct PeerRanks {
  int rank = 0;  // index of this rank among them
  int size = 1;
  std::vector<int> names;  // number of each rank in the run, for error messages; empty: 0 to `size` - 1
  GatherBytes gather;      // gathers bytes from these ranks
};

// The two halves of a sum in place: each rank first gets the addends of its share (ShareOf), and later gives its share
// of the result to all ranks. The caller makes the result from the addends. Both calls only queue work and may be
// captured. Every rank must make the same calls in the same order.
class ShareExchange {
 public:
  virtual ~ShareExchange() = default;

  // Queues the exchange of addends, with the order of streams of GradientExchange::Sum. Other than Gather, it leaves
  // ranges of every size as addends, and does not count them. The addend of this rank lies in the range itself, where
  // the caller may overwrite its share.
  virtual absl::StatusOr<RangeSum> GatherShare(const RangeToSum& range) = 0;

  // Queues the all-gather of the shares of the range that was passed to GatherShare last, all of it on the stream
  // `then`. The work queued on `then` so far must put the result into this rank's share of the range, and must be
  // ordered after the stream `then` of GatherShare.
  virtual absl::Status SpreadShares(const RangeToSum& range) = 0;
};

struct PeerExchangeParts {
  std::shared_ptr<GradientExchange> exchange;
  ShareExchange* shares = nullptr;  // part of `exchange`
};

// Makes an exchange like MakePeerExchange, but does not check sums. `options.sends` must be true.
absl::StatusOr<PeerExchangeParts> MakePeerExchangeParts(const PeerRanks& ranks, const PeerExchangeOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_PEER_EXCHANGE_H_
