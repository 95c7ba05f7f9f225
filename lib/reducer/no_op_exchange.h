// No-op exchange: the counterpart without all-reduces of the peer exchange, for ablation. A step makes the same
// launches, except those that send to another rank, wait for another rank, or add received gradients. Each rank trains
// on its own gradients. With a shared update, each rank updates its share of the weights, and the other shares stay as
// they are.
#ifndef LOCKSTEP_LIB_REDUCER_NO_OP_EXCHANGE_H_
#define LOCKSTEP_LIB_REDUCER_NO_OP_EXCHANGE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/reducer/communicator_exchange.h"

namespace lockstep {

// Launches of a step's last ranges: AddendExchange::GathersTogether of the counterpart.
enum class LastRanges { kTogether, kApart };

// Makes the exchange of `rank` of `ranks`; the step sees one rank. ResourceExhausted: out of memory. Other errors are
// those of CUDA.
absl::StatusOr<MadeExchange> MakeNoOpExchange(uint32_t rank, uint32_t ranks, const PeerExchangeOptions& options,
                                              LastRanges last_ranges);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_NO_OP_EXCHANGE_H_
