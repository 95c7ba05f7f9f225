#include "lib/launch/rendezvous_endpoint.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch_environment.h"
#include "lib/launch/loopback.h"

namespace lockstep {
namespace {

// Port if no name distinguishes one run from another: LibTorch's own default (TCPStoreOptions::kDefaultPort).
constexpr uint16_t kDefaultPort = 29500;

// Range of the ports computed from a run's name: below the ephemeral ports of Linux (ip_local_port_range, from 32768
// on).
constexpr uint32_t kFirstPort = 20000;
constexpr uint32_t kPorts = 9000;

// Returns the FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv/), which is the same on every host.
uint32_t Hash(absl::string_view text) {
  uint32_t hash = 2166136261u;
  for (const unsigned char c : text) {
    hash = (hash ^ c) * 16777619u;
  }
  return hash;
}

absl::Status HostUnknown(const LaunchPlace& place) {
  return absl::InvalidArgumentError(absl::StrCat(
      "rank ", place.rank, " of ", place.size, " (", LauncherName(place.launcher),
      "): expected the host of rank 0 in a flag or a variable, found none; give --master_addr=HOST, or set "
      "MASTER_ADDR"));
}

absl::StatusOr<std::string> FindHost(const LaunchPlace& place, const RendezvousFlags& flags,
                                     const EnvironmentReader& variables) {
  if (place.one_host) {  // no other host must reach it, so names do not matter
    return std::string(kLoopback);
  }
  if (!flags.master_addr.empty()) {
    return flags.master_addr;
  }
  if (variables.Has("MASTER_ADDR")) {
    return variables.TextOrEmpty("MASTER_ADDR");
  }
  const std::string first =
      FirstHost(variables.TextOrEmpty(variables.FirstOf({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"})));
  if (place.launcher == Launcher::kSlurm && !first.empty()) {
    return first;
  }
  return HostUnknown(place);
}

absl::StatusOr<uint16_t> FindPort(const LaunchPlace& place, const RendezvousFlags& flags,
                                  const EnvironmentReader& variables) {
  if (flags.master_port != 0) {
    return static_cast<uint16_t>(flags.master_port);
  }
  if (variables.Has("MASTER_PORT")) {
    ASSIGN_OR_RETURN(const int port, variables.Number("MASTER_PORT", 1, std::numeric_limits<uint16_t>::max()));
    return static_cast<uint16_t>(port);
  }
  if (place.launcher == Launcher::kTorchrun || place.run.empty()) {
    return kDefaultPort;
  }
  return static_cast<uint16_t>(kFirstPort + Hash(place.run) % kPorts);
}

}  // namespace

absl::StatusOr<RendezvousEndpoint> FindRendezvousEndpoint(const LaunchPlace& place, const RendezvousFlags& flags,
                                                          const EnvironmentLookup& lookup) {
  const EnvironmentReader variables(lookup, "where the ranks meet", "give --master_addr and --master_port");
  RendezvousEndpoint endpoint;
  ASSIGN_OR_RETURN(endpoint.host, FindHost(place, flags, variables));
  ASSIGN_OR_RETURN(endpoint.port, FindPort(place, flags, variables));
  endpoint.in_torchrun_store = place.launcher == Launcher::kTorchrun && flags.master_port == 0 &&
                               variables.TextOrEmpty("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return endpoint;
}

std::string FirstHost(absl::string_view list) {
  const size_t end = list.find_first_of(",[");
  std::string host(list.substr(0, end));
  if (end == absl::string_view::npos || list[end] == ',') {
    return host;
  }
  const absl::string_view rest = list.substr(end + 1);  // 007-012,20],login
  const size_t closing = rest.find(']');
  if (closing == absl::string_view::npos) {
    return "";
  }
  absl::StrAppend(&host, rest.substr(0, rest.find_first_of("-,]")));
  return absl::StrCat(host, FirstHost(rest.substr(closing + 1)));  // common suffix of the bracket's hosts
}

}  // namespace lockstep
