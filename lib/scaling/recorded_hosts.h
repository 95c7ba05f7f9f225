// Hosts of the ranks of a scaling run, from its record.
#ifndef LOCKSTEP_LIB_SCALING_RECORDED_HOSTS_H_
#define LOCKSTEP_LIB_SCALING_RECORDED_HOSTS_H_

#include <cstdint>

#include "lib/base/host_topology.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns the hosts of the first `ranks` ranks, by the host names of the launcher and the virtual hosts. A rank about
// which the record says nothing is on the host of rank 0.
HostTopology RecordedHosts(const proto::ScaleSpec& spec, uint32_t ranks);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_RECORDED_HOSTS_H_
