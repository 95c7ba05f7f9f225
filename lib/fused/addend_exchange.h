// AddendExchange: the role of an exchange that can deliver the ranks' addends instead of their sum, to a caller that
// adds them up in a launch of its own, such as SGD.
#ifndef LOCKSTEP_LIB_FUSED_ADDEND_EXCHANGE_H_
#define LOCKSTEP_LIB_FUSED_ADDEND_EXCHANGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_update.h"

namespace lockstep {

// Elements begin ... begin + count - 1 of a range, whose weights one rank updates for all ranks.
struct RankShare {
  size_t begin = 0;
  size_t count = 0;
};

// Returns the share of `rank` of `ranks` in a range. Shares are equal multiples of 16 bytes of bf16; the last is
// shorter.
inline RankShare ShareOf(size_t range_count, uint32_t rank, uint32_t ranks) {
  constexpr size_t kWhole = 8;
  const size_t each = (range_count + ranks * kWhole - 1) / (ranks * kWhole) * kWhole;
  const size_t begin = std::min(range_count, rank * each);
  return {begin, std::min(each, range_count - begin)};
}

// Location of a range's sum: in place of the range, or still as one addend per rank, in rank order.
struct RangeSum {
  uint32_t ranks = 0;                       // number of addends; 0: the sum is in place
  const void* of_rank[kMaxPeerRanks] = {};  // device pointers to the first element of the range, in the range's type
  bool shared = false;                      // true: the addends hold this rank's share and nothing else
  RankShare share;                          // empty, at 0, if not shared
};

class AddendExchange {
 public:
  virtual ~AddendExchange() = default;

  // Queues the exchange of a range, with the contract of GradientExchange::Sum. The addends may be read by work that
  // `stream` of GradientExchange::EndStep is ordered after.
  virtual absl::StatusOr<RangeSum> Gather(const RangeToSum& range) = 0;

  // Returns true if the last ranges of a step must go through GatherTogether. If false, they must go through Gather,
  // one by one.
  virtual bool GathersTogether() const { return true; }

  // Prepares the exchange of the last ranges of a step by one launch, which sends them, adds them up and applies the
  // update. Sends nothing itself; the caller must queue PeerUpdate with the returned PeerPush next on the ranges'
  // `then` stream.
  virtual absl::StatusOr<PeerPush> GatherTogether(const RangeToSum& weights, const RangeToSum& batch_norms) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_ADDEND_EXCHANGE_H_
