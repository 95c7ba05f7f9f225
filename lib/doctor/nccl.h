// Checks of NCCL, which sums the gradients of several GPUs.
#ifndef LOCKSTEP_LIB_DOCTOR_NCCL_H_
#define LOCKSTEP_LIB_DOCTOR_NCCL_H_

#include <string>

#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Opens libnccl.so.2 like the tools, and asks for its version.
void ProbeNccl(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the area "nccl", which scaling over two or more GPUs needs.
void JudgeNccl(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

// Returns "2.28.9" for ncclGetVersion's 22809, "2.8.4" for 2804: the encoding changed with 2.9 (nccl.h, NCCL_VERSION).
std::string NcclVersion(int code);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_NCCL_H_
