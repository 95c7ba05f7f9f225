// File descriptors handed from each rank to every other rank of a host: what one process holds, such as memory, others then
// hold too, for as long as they want.
#ifndef LOCKSTEP_LIB_PEER_DESCRIPTORS_H_
#define LOCKSTEP_LIB_PEER_DESCRIPTORS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/peer/descriptor_socket.h"
#include "lib/peer/gather_bytes.h"

namespace lockstep {

// Every rank hands `mine` to all others, and has those of all afterwards, in rank order; its own place is empty. All ranks
// call it, at once. FailedPrecondition, on all ranks alike: one cannot reach another, as in another network namespace or on
// another host, or nothing came within `timeout`. Others are those of `gather`, which is called three times, or twice
// before such an error.
absl::StatusOr<std::vector<OwnedDescriptor>> ExchangeDescriptors(const GatherBytes& gather, int rank, int size,
                                                                 int mine, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DESCRIPTORS_H_
