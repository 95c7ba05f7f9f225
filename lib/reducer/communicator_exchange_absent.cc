// Replaces communicator_exchange.cc if the build found no CUDA.
#include "lib/reducer/communicator_exchange.h"

namespace lockstep {

absl::StatusOr<MadeExchange> MakeCommunicatorExchange(Communicator&, const CommunicatorExchangeOptions&) {
  return absl::UnimplementedError("the fused step needs CUDA, which this build does not have");
}

absl::StatusOr<MadeExchange> MakePeerExchange(Communicator&, const PeerExchangeOptions&) {
  return absl::UnimplementedError("the fused step needs CUDA, which this build does not have");
}

absl::StatusOr<MadeExchange> MakeHierarchicalExchange(Store&, int, const HostTopology&,
                                                      const HierarchicalExchangeOptions&) {
  return absl::UnimplementedError("the fused step needs CUDA, which this build does not have");
}

}  // namespace lockstep
