// Which rank is to blame when the ranks of a point have ended, from how each did.
#ifndef LOCKSTEP_LIB_LAUNCH_BLAME_H_
#define LOCKSTEP_LIB_LAUNCH_BLAME_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/subprocess.h"

namespace lockstep {

// "rank 1 of 2", or "rank 1 of 2 on HOST" where hosts are named.
std::string RankName(size_t rank, size_t size, const std::vector<std::string>& hosts);

// The status that names the rank to blame, or OK when all ended well. `exits[r]` is rank r's, `hosts[r]` its host;
// empty: all are on this one.
absl::Status Blame(const std::vector<ChildExit>& exits, absl::Duration timeout,
                   const std::vector<std::string>& hosts = {});

// Whether a rank was ended by a stop signal that another process sent.
bool AnyStoppedByOthers(const std::vector<ChildExit>& exits);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_BLAME_H_
