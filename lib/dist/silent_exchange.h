// The twin without all-reduces of an exchange by peers, for ablation: a step makes the same launches, but for what sends to
// another rank, waits for one, or adds up what came. Each rank trains on its own gradients; with a shared update it updates
// its share of the weights, and the others' shares stay as they are.
#ifndef LOCKSTEP_LIB_DIST_SILENT_EXCHANGE_H_
#define LOCKSTEP_LIB_DIST_SILENT_EXCHANGE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/dist/communicator_exchange.h"
#include "lib/fused/gradient_exchange.h"

namespace lockstep {

// It is that of `rank` of `ranks`, and the step sees one rank. Errors are CUDA's; ResourceExhausted: there is no memory.
absl::StatusOr<std::shared_ptr<GradientExchange>> MakeSilentExchange(uint32_t rank, uint32_t ranks,
                                                                     const PeerExchangeOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SILENT_EXCHANGE_H_
