// Failure attribution: finds the rank that caused the failure of a point from the outcomes of all ranks.
#ifndef LOCKSTEP_LIB_LAUNCH_FAILURE_ATTRIBUTION_H_
#define LOCKSTEP_LIB_LAUNCH_FAILURE_ATTRIBUTION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/subprocess.h"

namespace lockstep {

// Returns "rank 1 of 2", or "rank 1 of 2 on HOST" if `hosts` is not empty.
std::string RankName(size_t rank, size_t size, const std::vector<std::string>& hosts);

// Returns a status that names the failed rank, or OK if all ranks succeeded. `exits[r]` must be the outcome of rank r
// and `hosts[r]` its host; empty `hosts`: all ranks are on this host.
absl::Status AttributeFailure(const std::vector<ChildExit>& exits, absl::Duration timeout,
                              const std::vector<std::string>& hosts = {});

// Returns true if a stop signal that another process sent ended a rank.
bool AnyStoppedByOthers(const std::vector<ChildExit>& exits);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_FAILURE_ATTRIBUTION_H_
