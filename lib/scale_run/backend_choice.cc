#include "lib/scale_run/backend_choice.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/communicator/transport_choice.h"

namespace lockstep {
namespace {

proto::Backend BackendOf(Transport transport) {
  return transport == Transport::kSharedMemory   ? proto::SHARED_MEMORY
         : transport == Transport::kHierarchical ? proto::HIERARCHICAL
                                                 : proto::GLOO;
}

}  // namespace

absl::StatusOr<BackendChoice> ChooseBackend(proto::Backend asked, proto::DeviceKind device, const HostTopology& hosts) {
  const bool is_cuda = device == proto::CUDA;
  const TransportChoice fastest = ChooseTransport(hosts);
  const proto::Backend best = is_cuda ? proto::NCCL : BackendOf(fastest.transport);
  if (asked == proto::BACKEND_UNSPECIFIED) {
    return BackendChoice{best, is_cuda ? "" : fastest.why};
  }
  if (asked == best || (asked == proto::GLOO && !is_cuda)) {
    return BackendChoice{asked, ""};
  }
  const std::string possible = is_cuda                        ? "ranks on CUDA communicate over nccl"
                               : best == proto::SHARED_MEMORY ? "ranks on CPUs communicate over shared_memory or gloo"
                               : best == proto::HIERARCHICAL
                                   ? "ranks on several hosts communicate over hierarchical or "
                                     "gloo"
                               : fastest.why.empty() ? "ranks on several hosts communicate over gloo"
                                                     : absl::StrCat("these ranks communicate over gloo: ", fastest.why);
  return absl::InvalidArgumentError(
      absl::StrCat("--backend=", absl::AsciiStrToLower(proto::Backend_Name(asked)), ": ", possible));
}

}  // namespace lockstep
