// Limits of the control groups of this process, set by a container, a batch system or systemd. See
// https://docs.kernel.org/admin-guide/cgroup-v2.html and cgroup-v1/.
#ifndef LOCKSTEP_LIB_RECORD_CGROUP_LIMITS_H_
#define LOCKSTEP_LIB_RECORD_CGROUP_LIMITS_H_

#include <string>
#include <vector>

namespace lockstep {

// Returns the limits of the process's own groups and of all their ancestors up to the root; all these limits apply:
//     - version 2: "cpu.max=200000 100000" (microseconds over all cores, per period in microseconds),
//       "memory.max=8589934592" (bytes), "memory.high=...";
//     - version 1: "cpu.cfs_quota_us=200000 100000", "memory.limit_in_bytes=...".
// The result does not contain the names of the groups, which a batch system makes from its job numbers. The result is
// empty if there are no limits, or if nothing can be read. `root` is the folder that contains /proc and /sys.
std::vector<std::string> CgroupLimits(const std::string& root = "");

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_CGROUP_LIMITS_H_
