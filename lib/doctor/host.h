// Checks of the host and its container: memory, shared and locked memory, loopback connections.
#ifndef LOCKSTEP_LIB_DOCTOR_HOST_H_
#define LOCKSTEP_LIB_DOCTOR_HOST_H_

#include <string>
#include <vector>

#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

void ProbeHost(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the areas "memory", "/dev/shm", "shmmax", "memlock" and "loopback".
void JudgeHost(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

// Returns the smallest limit in bytes among those of lib/record/environment_fingerprint.h ("memory.max=8589934592");
// 0: no limit.
double MemoryLimitBytes(const std::vector<std::string>& cgroup_limits);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_HOST_H_
