// How often the kernel has killed for memory: what tells a process that ran out of it from one that somebody killed.
//
// Both die of SIGKILL. The kernel raises the counter before it sends the signal (__oom_kill_process in mm/oom_kill.c),
// so whoever sees the death sees the counter risen.
#ifndef LOCKSTEP_LIB_BASE_OOM_KILLS_H_
#define LOCKSTEP_LIB_BASE_OOM_KILLS_H_

#include <cstdint>
#include <string>

namespace lockstep {

// Kills in this process's cgroup (memory.events of version 2, memory.oom_control of version 1). Where the cgroup shows
// none, kills on the whole machine (/proc/vmstat), which may be another's. 0 where nothing counts them. Only a rise
// means anything. `root` stands before /proc and /sys, for tests.
uint64_t CountOomKills(const std::string& root = "");

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_OOM_KILLS_H_
