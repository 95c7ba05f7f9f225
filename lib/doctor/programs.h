// The programs beside Lockstep: the compiler and Bazel, which build it, and gnuplot, which draws.
#ifndef LOCKSTEP_LIB_DOCTOR_PROGRAMS_H_
#define LOCKSTEP_LIB_DOCTOR_PROGRAMS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/build_facts.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// g++ and Bazel in PATH.
void ProbeBuildPrograms(const DoctorRequest& request, ProbeAnswer& answer);

void ProbeGnuplot(const DoctorRequest& request, ProbeAnswer& answer);

// The areas "compiler" and "bazel". Needed by nothing but building.
void JudgeBuildPrograms(const proto::MachineFacts& facts, const BuildFacts& build, bool portable,
                        FindingList& findings);

// The area "gnuplot". Needed by reports, which have no plots without it.
void JudgeGnuplot(const proto::MachineFacts& facts, FindingList& findings);

// "4.2.3" from `bazel 4.2.3`; empty from Debian's `bazel no_version`.
std::string BazelVersion(absl::string_view said);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PROGRAMS_H_
