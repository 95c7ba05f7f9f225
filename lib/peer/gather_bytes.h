// Exchange of small byte strings between ranks that share no memory yet.
#ifndef LOCKSTEP_LIB_PEER_GATHER_BYTES_H_
#define LOCKSTEP_LIB_PEER_GATHER_BYTES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Function that returns the bytes of every rank in rank order. All ranks must call it together, each with its own
// bytes. Its waits must have a limit.
using GatherBytes = std::function<absl::StatusOr<std::vector<std::string>>(absl::string_view)>;

// Exchanges the status of every rank, and returns the first failure in rank order on all ranks, with its code and "rank
// N: " before its message. Other errors are those of `gather`.
absl::Status Agree(const GatherBytes& gather, const absl::Status& mine);

// Returns FailedPreconditionError, with the same message on all ranks, if the ranks are not on one host
// (lib/base/host_identity.h). A boot id that a rank could not read is not compared. Other errors are those of `gather`.
absl::Status CheckOneHost(const GatherBytes& gather);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_GATHER_BYTES_H_
