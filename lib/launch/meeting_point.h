// Where the processes that an outside launcher started meet: the address of rank 0's host, and a port of it. Knows nothing
// of LibTorch.
//
// The address, with all ranks on one host, is 127.0.0.1, whatever else says. Otherwise it is that of --master_addr, else of
// MASTER_ADDR, else in a Slurm step the first node of its list. The port is that of --master_port, else of MASTER_PORT,
// else one that follows from the launcher's name for the run.
#ifndef LOCKSTEP_LIB_LAUNCH_MEETING_POINT_H_
#define LOCKSTEP_LIB_LAUNCH_MEETING_POINT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_place.h"

namespace lockstep {

struct MeetingFlags {
  std::string master_addr;  // empty: as below
  int master_port = 0;      // 0: as below
};

struct MeetingPoint {
  std::string host;
  uint16_t port = 0;
  // torchrun's own store listens at the port, so rank 0 listens at another one and says in that store at which
  // (TORCHELASTIC_USE_AGENT_STORE, torch/distributed/rendezvous.py).
  bool in_torchrun_store = false;
};

// InvalidArgument: ranks on several hosts, and nothing says where rank 0 is; or a MASTER_PORT that is no port.
absl::StatusOr<MeetingPoint> FindMeetingPoint(const LaunchPlace& place, const MeetingFlags& flags,
                                              const EnvironmentLookup& lookup);

// The first of a Slurm list of hosts, "node[007-012,20],login" (man scontrol, "show hostnames"). Empty: it is no such list.
std::string FirstHost(absl::string_view list);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_MEETING_POINT_H_
