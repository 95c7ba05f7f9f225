// Checks of CUDA's Multi-Process Service (MPS), through which several processes share a GPU.
// https://docs.nvidia.com/deploy/mps
#ifndef LOCKSTEP_LIB_DOCTOR_MPS_H_
#define LOCKSTEP_LIB_DOCTOR_MPS_H_

#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

void ProbeMps(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the area "mps". Adds nothing if there is neither a GPU nor a sign of MPS.
void JudgeMps(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_MPS_H_
