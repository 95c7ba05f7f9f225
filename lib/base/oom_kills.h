// Number of out-of-memory kills by the kernel. It distinguishes a process that ran out of memory from one that somebody
// killed, because both die of SIGKILL.
//
// The kernel increments the counter before it sends the signal (__oom_kill_process in mm/oom_kill.c). A process that
// has seen the death of another therefore reads the incremented counter.
#ifndef LOCKSTEP_LIB_BASE_OOM_KILLS_H_
#define LOCKSTEP_LIB_BASE_OOM_KILLS_H_

#include <cstdint>
#include <string>

namespace lockstep {

// Returns the kills in this process's cgroup (memory.events of version 2, memory.oom_control of version 1). If the
// cgroup has no counter, returns the kills on the whole machine (/proc/vmstat), which may concern other users'
// processes; 0 if there is no counter at all. Only an increase is meaningful. `root` is a prefix of /proc and /sys, for
// tests.
uint64_t CountOomKills(const std::string& root = "");

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_OOM_KILLS_H_
