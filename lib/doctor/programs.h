// Checks of the programs that Lockstep uses: the compiler and Bazel, which build it, gnuplot, which draws the plots of
// LaTeX, and pdflatex, with which a user makes a PDF of LaTeX.
#ifndef LOCKSTEP_LIB_DOCTOR_PROGRAMS_H_
#define LOCKSTEP_LIB_DOCTOR_PROGRAMS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/build_facts.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Asks g++ and Bazel in PATH for their versions.
void ProbeBuildPrograms(const DoctorRequest& request, ProbeAnswer& answer);

void ProbeGnuplot(const DoctorRequest& request, ProbeAnswer& answer);

// Asks pdflatex in PATH for its version.
void ProbePdflatex(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the areas "compiler" and "bazel": a Bazel that is too old is BROKEN, one newer than the tested ones is WARN.
// Only building needs these programs.
void JudgeBuildPrograms(const proto::MachineFacts& facts, const BuildFacts& build, Distribution distribution,
                        FindingList& findings);

// Judges the area "gnuplot". No use needs it, because a LaTeX report is also made without its plots.
void JudgeGnuplot(const proto::MachineFacts& facts, FindingList& findings);

// Judges the area "pdflatex", which is never BROKEN: no use needs it, because no tool starts it. A remedy names the
// Debian packages that the LaTeX documents need.
void JudgePdflatex(const proto::MachineFacts& facts, FindingList& findings);

// Returns "4.2.3" for `bazel 4.2.3` and for Debian's package version `4.2.3+ds-9`; empty for Debian's `bazel
// no_version`.
std::string BazelVersion(absl::string_view output);

// Returns a negative number if this version of Bazel ("7.7.1") is older than the oldest version that Lockstep was
// tested with, a positive number if it is newer than the newest, and 0 otherwise or if it is empty.
int CompareWithTriedBazels(absl::string_view version);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_PROGRAMS_H_
