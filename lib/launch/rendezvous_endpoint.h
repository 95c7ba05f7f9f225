// Rendezvous of the processes that an outside launcher started: an address and a port of rank 0's host. Does not depend
// on LibTorch. The first source that exists is used:
//
//   address  127.0.0.1 if all ranks are on one host; --master_addr; MASTER_ADDR; the first node of a Slurm step's list
//   port     --master_port; MASTER_PORT; 29500 under torchrun or if the run has no name; a port computed from that name
#ifndef LOCKSTEP_LIB_LAUNCH_RENDEZVOUS_ENDPOINT_H_
#define LOCKSTEP_LIB_LAUNCH_RENDEZVOUS_ENDPOINT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_place.h"

namespace lockstep {

struct RendezvousFlags {
  std::string master_addr;  // value of --master_addr; empty: not given
  int master_port = 0;      // value of --master_port; 0: not given
};

struct RendezvousEndpoint {
  std::string host;
  uint16_t port = 0;
  // True if torchrun's own store listens at the port (TORCHELASTIC_USE_AGENT_STORE, torch/distributed/rendezvous.py).
  // Rank 0 then listens at another port and publishes it in that store.
  bool in_torchrun_store = false;
};

// Returns the rendezvous. Returns InvalidArgumentError if the ranks are on several hosts and no source gives rank 0's
// address, or if MASTER_PORT is not a port.
absl::StatusOr<RendezvousEndpoint> FindRendezvousEndpoint(const LaunchPlace& place, const RendezvousFlags& flags,
                                                          const EnvironmentLookup& lookup);

// Returns the first host of a Slurm list such as "node[007-012,20],login" (man scontrol, "show hostnames"), or an empty
// text if `list` is not such a list.
std::string FirstHost(absl::string_view list);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RENDEZVOUS_ENDPOINT_H_
