// NCCL, which sums gradients of several GPUs.
#ifndef LOCKSTEP_LIB_DOCTOR_NCCL_H_
#define LOCKSTEP_LIB_DOCTOR_NCCL_H_

#include <string>

#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Opens libnccl.so.2 as the tools find it, and asks its version.
void ProbeNccl(const DoctorRequest& request, ProbeAnswer& answer);

// The area "nccl". Needed for scaling over two GPUs or more.
void JudgeNccl(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

// "2.28.9" from ncclGetVersion's 22809, "2.8.4" from 2804: the code changed with 2.9 (nccl.h, NCCL_VERSION).
std::string NcclVersion(int code);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_NCCL_H_
