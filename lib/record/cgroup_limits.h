// How much of the machine the kernel lets this process use: the limits of its control groups, which a
// container, a batch system or systemd sets. https://docs.kernel.org/admin-guide/cgroup-v2.html and
// cgroup-v1/.
#ifndef LOCKSTEP_LIB_RECORD_CGROUP_LIMITS_H_
#define LOCKSTEP_LIB_RECORD_CGROUP_LIMITS_H_

#include <string>
#include <vector>

namespace lockstep {

// "cpu.max=200000 100000" (microseconds of all cores together, in each period of so many), "memory.max=
// 8589934592" (bytes), "memory.high=..."; of version 1 "cpu.cfs_quota_us=200000 100000" and
// "memory.limit_in_bytes=...". From the process's own groups up to the root, each that limits: all of
// them hold. The groups' names, which a batch system makes from its job numbers, are not in it. Empty
// when nothing limits, or nothing can be read. `root`: the folder that /proc and /sys are in.
std::vector<std::string> CgroupLimits(const std::string& root = "");

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_CGROUP_LIMITS_H_
