// How ranks that share nothing yet tell each other few bytes.
#ifndef LOCKSTEP_LIB_PEER_GATHER_BYTES_H_
#define LOCKSTEP_LIB_PEER_GATHER_BYTES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Small bytes of every rank, in rank order; all ranks call it together, each with its own. Its waits end by themselves.
using GatherBytes = std::function<absl::StatusOr<std::vector<std::string>>(absl::string_view)>;

// Each rank says how it fared, and all have the first failure in rank order, its code and "rank N: " before its words.
// Others are those of `gather`.
absl::Status Agree(const GatherBytes& gather, const absl::Status& mine);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_GATHER_BYTES_H_
