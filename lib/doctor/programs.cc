#include "lib/doctor/programs.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/doctor/ask_program.h"
#include "lib/doctor/bazel_range.h"
#include "lib/plot/gnuplot.h"

namespace lockstep {
namespace {

constexpr char kMinimum[] = LOCKSTEP_BAZEL_MINIMUM;
constexpr char kMaximum[] = LOCKSTEP_BAZEL_MAXIMUM;
constexpr char kOnlyLatex[] = "; only the plots of report --format=latex need it";
constexpr char kOnlyPdf[] = "; only a PDF of a LaTeX document needs it";

// Debian packages for the LaTeX packages of lib/page/latex_parts.cc: booktabs is in texlive-latex-recommended, which
// depends on texlive-latex-base with pdflatex, array, fontenc, geometry and graphicx. Without lmodern, letters are
// bitmaps.
constexpr char kInstallLatex[] = "apt-get install texlive-latex-recommended lmodern";

void JudgeBazel(const proto::ProgramFacts& programs, FindingList& findings) {
  const std::string& version = programs.bazel_version();
  const std::string found = absl::StrCat(version.empty() ? "version unknown" : version, "; ", programs.bazel_path());
  const std::string bazelisk = "install Bazelisk as bazel: it uses the version in .bazeliskrc";
  const int order = CompareWithTriedBazels(version);
  if (order < 0) {
    AddFinding(findings, "bazel", proto::DoctorFinding::BROKEN,
               absl::StrCat(found, "; older than ", kMinimum, ", the oldest that was tried"), bazelisk);
  } else if (order > 0) {
    AddFinding(findings, "bazel", proto::DoctorFinding::WARN,
               absl::StrCat(found, "; newer than ", kMaximum, ", the newest that was tried"),
               absl::StrCat("if a build fails, ", bazelisk));
  } else {
    AddFinding(findings, "bazel", proto::DoctorFinding::OK, found);
  }
}

}  // namespace

void ProbeBuildPrograms(const DoctorRequest& request, ProbeAnswer& answer) {
  proto::MachineFacts facts;
  answer.Begin("asking g++");
  const ProgramOutput compiler = AskProgram({"g++", "-dumpfullversion"}, request.timeout);
  if (compiler.ended_well) {
    facts.mutable_programs()->set_compiler_here(std::string(absl::StripAsciiWhitespace(compiler.text)));
  }
  const std::string bazel = FindProgram("bazel");
  const std::string bazelisk = FindProgram("bazelisk");
  facts.mutable_programs()->set_bazel_path(bazel.empty() ? bazelisk : bazel);
  answer.Send(facts);
  if (bazel.empty()) {
    return;  // Bazelisk might download a Bazel to print its version
  }
  answer.Begin("asking bazel");
  facts.Clear();
  std::string version = BazelVersion(AskProgram({bazel, "--version"}, request.timeout).text);
  if (version.empty()) {  // Debian 12's Bazel has a version only in dpkg
    const ProgramOutput package = AskProgram({"dpkg-query", "-W", "-f=${Version}", "bazel-bootstrap"}, request.timeout);
    version = package.ended_well ? BazelVersion(package.text) : "";
  }
  facts.mutable_programs()->set_bazel_version(version);
  answer.Send(facts);
}

void ProbeGnuplot(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("asking gnuplot");
  proto::MachineFacts facts;
  const auto version = GnuplotVersion(GnuplotSession::kOfCaller);
  facts.mutable_programs()->set_gnuplot_version(version.ok() ? std::string(absl::StripAsciiWhitespace(*version)) : "");
  facts.mutable_programs()->set_gnuplot_error(version.ok() ? "" : std::string(version.status().message()));
  facts.mutable_programs()->set_gnuplot_absent(absl::IsNotFound(version.status()));
  answer.Send(facts);
}

void ProbePdflatex(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("asking pdflatex");
  proto::MachineFacts facts;
  const std::string path = FindProgram("pdflatex");
  facts.mutable_programs()->set_pdflatex_path(path);
  if (!path.empty()) {
    const ProgramOutput output = AskProgram({path, "--version"}, request.timeout);
    facts.mutable_programs()->set_pdflatex_version(output.ended_well ? output.text.substr(0, output.text.find('\n'))
                                                                     : "");
  }
  answer.Send(facts);
}

void JudgeBuildPrograms(const proto::MachineFacts& facts, const BuildFacts& build, Distribution distribution,
                        FindingList& findings) {
  const proto::ProgramFacts& programs = facts.programs();
  // A portable folder does not need these programs.
  const std::string remedy = distribution == Distribution::kPortable ? "" : "third_party/install.sh";
  const std::string here =
      programs.compiler_here().empty() ? "no g++ found" : absl::StrCat("g++ ", programs.compiler_here());
  AddFinding(findings, "compiler",
             programs.compiler_here().empty() ? proto::DoctorFinding::ABSENT : proto::DoctorFinding::OK,
             absl::StrCat(here, "; the doctor was built with ", build.compiler),
             programs.compiler_here().empty() ? remedy : "");
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "build_programs")) {
    AddFinding(findings, "bazel", proto::DoctorFinding::UNKNOWN, DescribeEnd(*end),
               "bazel shutdown, then run the doctor again");
  } else if (programs.bazel_path().empty()) {
    AddFinding(findings, "bazel", proto::DoctorFinding::ABSENT, "neither bazel nor bazelisk in PATH", remedy);
  } else {
    JudgeBazel(programs, findings);
  }
}

void JudgeGnuplot(const proto::MachineFacts& facts, FindingList& findings) {
  const proto::ProgramFacts& programs = facts.programs();
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "gnuplot")) {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::BROKEN, absl::StrCat(DescribeEnd(*end), kOnlyLatex),
               "apt-get install gnuplot-nox");
  } else if (!programs.gnuplot_version().empty()) {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::OK, programs.gnuplot_version());
  } else if (programs.gnuplot_absent()) {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::ABSENT, absl::StrCat("not in PATH", kOnlyLatex),
               "apt-get install gnuplot-nox");
  } else {
    AddFinding(findings, "gnuplot", proto::DoctorFinding::BROKEN, absl::StrCat(programs.gnuplot_error(), kOnlyLatex),
               "apt-get install --reinstall gnuplot-nox");
  }
}

void JudgePdflatex(const proto::MachineFacts& facts, FindingList& findings) {
  const proto::ProgramFacts& programs = facts.programs();
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "pdflatex")) {
    AddFinding(findings, "pdflatex", proto::DoctorFinding::UNKNOWN, absl::StrCat(DescribeEnd(*end), kOnlyPdf),
               kInstallLatex);
  } else if (programs.pdflatex_path().empty()) {
    AddFinding(findings, "pdflatex", proto::DoctorFinding::ABSENT, absl::StrCat("not in PATH", kOnlyPdf),
               kInstallLatex);
  } else if (programs.pdflatex_version().empty()) {
    AddFinding(findings, "pdflatex", proto::DoctorFinding::UNKNOWN,
               absl::StrCat(programs.pdflatex_path(), " prints no version", kOnlyPdf), kInstallLatex);
  } else {
    AddFinding(findings, "pdflatex", proto::DoctorFinding::OK, programs.pdflatex_version());
  }
}

std::string BazelVersion(absl::string_view output) {
  for (const absl::string_view word : absl::StrSplit(output, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (absl::ascii_isdigit(word[0])) {
      return std::string(word.substr(0, word.find_first_not_of("0123456789.")));
    }
  }
  return "";
}

int CompareWithTriedBazels(absl::string_view version) {
  if (version.empty()) {
    return 0;
  }
  return MajorAndMinor(version) < MajorAndMinor(kMinimum)   ? -1
         : MajorAndMinor(version) > MajorAndMinor(kMaximum) ? 1
                                                            : 0;
}

}  // namespace lockstep
