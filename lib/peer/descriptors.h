// Exchange of file descriptors between all ranks of a host. An object of one process, such as memory, is then held by
// the others too, for as long as they want.
#ifndef LOCKSTEP_LIB_PEER_DESCRIPTORS_H_
#define LOCKSTEP_LIB_PEER_DESCRIPTORS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/peer/descriptor_socket.h"
#include "lib/peer/gather_bytes.h"

namespace lockstep {

// Sends `mine` to all other ranks, and returns the descriptors of all ranks in rank order; this rank's own element is
// empty. All ranks must call this function at the same time. Returns the same FailedPreconditionError on all ranks if a
// rank cannot reach another, for example in another network namespace or on another host, or if no descriptor came
// within `timeout`. Other errors are those of `gather`, which is called three times, or twice before such an error.
absl::StatusOr<std::vector<OwnedDescriptor>> ExchangeDescriptors(const GatherBytes& gather, int rank, int size,
                                                                 int mine, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DESCRIPTORS_H_
