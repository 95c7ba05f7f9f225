// Communicator for ranks on the CPUs of several hosts with equally many ranks each. A sum takes three steps:
// - the ranks of a host add it up in shares, through shared memory;
// - each rank sums its share with its counterparts, the ranks of the same index on the other hosts, over Gloo;
// - the ranks of a host read each other's shares.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_HIERARCHICAL_COMMUNICATOR_H_
#define LOCKSTEP_LIB_COMMUNICATOR_HIERARCHICAL_COMMUNICATOR_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/host_topology.h"
#include "lib/communicator/communicator.h"

namespace lockstep {

// Returns the hosts of the ranks (lib/base/host_identity.h), the same on all ranks. All ranks must call this function
// together. Errors are those of the store.
absl::StatusOr<HostTopology> GatherHosts(Store& store, int rank, int size);

// Makes a communicator with the name "hierarchical". ChooseTransport(hosts) must be kHierarchical. All ranks get the
// same bits. A sum of bf16 is rounded once on each host, and by each addition between hosts. FailedPrecondition: the
// ranks of a host cannot share memory; all ranks get the same message and can use Gloo instead. Other errors are those
// of the store and of Gloo.
absl::StatusOr<std::unique_ptr<Communicator>> MakeHierarchicalCommunicator(Store& store, int rank,
                                                                           const HostTopology& hosts,
                                                                           absl::Duration timeout);

struct MadeCommunicator {
  std::unique_ptr<Communicator> communicator;
  std::string why;  // reason of ChooseTransport
};

// Makes the communicator that ChooseTransport returns for the hosts of the ranks. Errors are those of GatherHosts and
// of the communicator.
absl::StatusOr<MadeCommunicator> MakeCpuCommunicator(Store& store, int rank, int size, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_HIERARCHICAL_COMMUNICATOR_H_
