// Choice of the transport between ranks on CPUs, from their hosts.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_TRANSPORT_CHOICE_H_
#define LOCKSTEP_LIB_COMMUNICATOR_TRANSPORT_CHOICE_H_

#include <string>

#include "lib/base/host_topology.h"

namespace lockstep {

enum class Transport {
  kSharedMemory,  // memory of the one host
  kGloo,          // connections between all ranks
  kHierarchical,  // shared memory within each host, connections between hosts
};

struct TransportChoice {
  Transport transport = Transport::kGloo;
  std::string why;  // reason why ranks that share hosts use kGloo; empty: no such ranks, or another transport
};

// Returns the fastest transport. kHierarchical needs the same number of ranks, at least two, on every host, because the
// ranks of a host divide a sum into equal shares, and each share is summed over the hosts by one rank of each.
TransportChoice ChooseTransport(const HostTopology& hosts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_TRANSPORT_CHOICE_H_
