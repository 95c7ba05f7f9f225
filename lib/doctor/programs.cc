#include "lib/doctor/programs.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/doctor/ask_program.h"
#include "lib/report/gnuplot.h"

namespace lockstep {

void ProbeBuildPrograms(const DoctorRequest& request, ProbeAnswer& answer) {
  proto::MachineFacts facts;
  answer.Begin("asking g++");
  const ProgramSaid compiler = AskProgram({"g++", "-dumpfullversion"}, request.timeout);
  if (compiler.ended_well) {
    facts.mutable_programs()->set_compiler_here(std::string(absl::StripAsciiWhitespace(compiler.text)));
  }
  const std::string bazel = FindProgram("bazel");
  const std::string bazelisk = FindProgram("bazelisk");
  facts.mutable_programs()->set_bazel_path(bazel.empty() ? bazelisk : bazel);
  answer.Tell(facts);
  if (bazel.empty()) {
    return;  // Bazelisk might fetch a Bazel to tell its version
  }
  answer.Begin("asking bazel");
  facts.Clear();
  facts.mutable_programs()->set_bazel_version(BazelVersion(AskProgram({bazel, "--version"}, request.timeout).text));
  answer.Tell(facts);
}

void ProbeGnuplot(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("asking gnuplot");
  proto::MachineFacts facts;
  const auto version = GnuplotVersion(/*own_session=*/false);
  facts.mutable_programs()->set_gnuplot_version(version.ok() ? std::string(absl::StripAsciiWhitespace(*version)) : "");
  facts.mutable_programs()->set_gnuplot_error(version.ok() ? "" : std::string(version.status().message()));
  facts.mutable_programs()->set_gnuplot_absent(absl::IsNotFound(version.status()));
  answer.Tell(facts);
}

void JudgeBuildPrograms(const proto::MachineFacts& facts, const BuildFacts& build, bool portable,
                        FindingList& findings) {
  const proto::ProgramFacts& programs = facts.programs();
  const std::string mend = portable ? "" : "third_party/install.sh";  // a portable folder is complete without them
  const std::string here =
      programs.compiler_here().empty() ? "no g++ here" : absl::StrCat("g++ ", programs.compiler_here(), " here");
  AddFinding(findings, "compiler",
             programs.compiler_here().empty() ? proto::DoctorFinding::ABSENT : proto::DoctorFinding::OK,
             absl::StrCat(here, "; ", build.compiler, " built this"), programs.compiler_here().empty() ? mend : "");
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "build_programs")) {
    AddFinding(findings, "bazel", proto::DoctorFinding::UNKNOWN, DescribeEnd(*end), "bazel shutdown, and once more");
  } else if (programs.bazel_path().empty()) {
    AddFinding(findings, "bazel", proto::DoctorFinding::ABSENT, "neither bazel nor bazelisk in PATH", mend);
  } else {
    AddFinding(findings, "bazel", proto::DoctorFinding::OK,
               absl::StrCat(programs.bazel_version().empty() ? "version not told" : programs.bazel_version(), "; ",
                            programs.bazel_path()));
  }
}

void JudgeGnuplot(const proto::MachineFacts& facts, FindingList& findings) {
  const proto::ProgramFacts& programs = facts.programs();
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "gnuplot")) {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::BROKEN, DescribeEnd(*end), "apt-get install gnuplot-nox",
               {proto::DoctorUse::REPORT});
  } else if (!programs.gnuplot_version().empty()) {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::OK, programs.gnuplot_version());
  } else if (programs.gnuplot_absent()) {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::ABSENT, "not in PATH: reports have no plots",
               "apt-get install gnuplot-nox, then make the report again", {proto::DoctorUse::REPORT});
  } else {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::BROKEN, programs.gnuplot_error(),
               "apt-get install --reinstall gnuplot-nox", {proto::DoctorUse::REPORT});
  }
}

std::string BazelVersion(absl::string_view said) {
  for (const absl::string_view word : absl::StrSplit(said, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (absl::ascii_isdigit(word[0])) {
      return std::string(word);
    }
  }
  return "";
}

}  // namespace lockstep
