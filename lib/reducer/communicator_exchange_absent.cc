// Replaces communicator_exchange.cc if the build found no CUDA.
#include "lib/reducer/communicator_exchange.h"

namespace lockstep {

absl::StatusOr<std::shared_ptr<GradientExchange>> MakeCommunicatorExchange(Communicator&,
                                                                           const CommunicatorExchangeOptions&) {
  return absl::UnimplementedError("the fused step needs CUDA, which this build does not have");
}

absl::StatusOr<std::shared_ptr<GradientExchange>> MakePeerExchange(Communicator&, const PeerExchangeOptions&) {
  return absl::UnimplementedError("the fused step needs CUDA, which this build does not have");
}

ExchangeCount CountOfStep(const GradientExchange&) { return {}; }

}  // namespace lockstep
