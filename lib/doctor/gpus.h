// Checks of each GPU: identity, state, and links to the other GPUs.
#ifndef LOCKSTEP_LIB_DOCTOR_GPUS_H_
#define LOCKSTEP_LIB_DOCTOR_GPUS_H_

#include "lib/doctor/answer.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Asks NVML (libnvidia-ml.so.1) for the driver's version; clocks, ECC, MIG and more of each GPU; NVLink of each pair.
void ProbeNvml(const DoctorRequest& request, ProbeAnswer& answer);

// Judges one area for each GPU that CUDA lists ("gpu 0"), and "nvml" if NVML is needed and does not answer.
void JudgeGpus(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

// Judges the area "links": pairs of GPUs, with equal links on one line. Adds nothing with fewer than two GPUs.
void JudgeLinks(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_GPUS_H_
