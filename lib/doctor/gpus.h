// Each GPU: who it is, how it does, and how it reaches the others.
#ifndef LOCKSTEP_LIB_DOCTOR_GPUS_H_
#define LOCKSTEP_LIB_DOCTOR_GPUS_H_

#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Asks NVML (libnvidia-ml.so.1): version of the driver; clocks, ECC, MIG and more of each GPU; NVLink of each pair.
void ProbeNvml(const DoctorRequest& request, ProbeAnswer& answer);

// One area for each GPU that CUDA shows ("gpu 0"), and "nvml" when NVML is wanted and does not answer.
void JudgeGpus(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

// The area "links": pairs of GPUs, those with the same links on one line. Nothing with fewer than two GPUs.
void JudgeLinks(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_GPUS_H_
