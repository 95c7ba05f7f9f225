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

// The areas "compiler" and "bazel": a Bazel that is too old is BROKEN, one that is newer than those tried is WARN. Needed
// by nothing but building.
void JudgeBuildPrograms(const proto::MachineFacts& facts, const BuildFacts& build, bool portable,
                        FindingList& findings);

// The area "gnuplot". Needed by reports, which have no plots without it.
void JudgeGnuplot(const proto::MachineFacts& facts, FindingList& findings);

// "4.2.3" from `bazel 4.2.3` and from Debian's package version `4.2.3+ds-9`; empty from Debian's `bazel no_version`.
std::string BazelVersion(absl::string_view said);

// Negative if a Bazel of this version ("7.7.1") is older than the oldest that Lockstep was tried with, positive if it is
// newer than the newest, 0 otherwise and for an empty version.
int CompareWithTriedBazels(absl::string_view version);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PROGRAMS_H_
