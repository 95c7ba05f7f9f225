// Replaces communicator_exchange.cc if the build found no CUDA.
#include "lib/dist/communicator_exchange.h"

namespace lockstep {

absl::StatusOr<std::shared_ptr<GradientExchange>> MakeCommunicatorExchange(Communicator&,
                                                                           const CommunicatorExchangeOptions&) {
  return absl::UnimplementedError("this build is without CUDA, which the hand-written step needs");
}

absl::StatusOr<std::shared_ptr<GradientExchange>> MakePeerExchange(Communicator&, const PeerExchangeOptions&) {
  return absl::UnimplementedError("this build is without CUDA, which the hand-written step needs");
}

ExchangeCount CountOfStep(const GradientExchange&) { return {}; }

}  // namespace lockstep
