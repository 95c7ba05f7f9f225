#include "lib/doctor/programs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

proto::MachineFacts Facts(const std::string& text) {
  proto::MachineFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &facts)) << text;
  return facts;
}

FindingList Build(const std::string& fields, Distribution distribution = Distribution::kBuilt) {
  BuildFacts build;
  build.compiler = "gcc 12.2.0";
  FindingList findings;
  JudgeBuildPrograms(Facts("programs { " + fields + " }"), build, distribution, findings);
  return findings;
}

proto::DoctorFinding Gnuplot(const std::string& text) {
  FindingList findings;
  JudgeGnuplot(Facts(text), findings);
  EXPECT_EQ(findings.size(), 1);
  return findings[0];
}

proto::DoctorFinding Pdflatex(const std::string& text) {
  FindingList findings;
  JudgePdflatex(Facts(text), findings);
  EXPECT_EQ(findings.size(), 1);
  return findings[0];
}

TEST(JudgeBuildProgramsTest, WhatIsThere) {
  const FindingList findings = Build("compiler_here: '13.3.0' bazel_path: '/usr/bin/bazel' bazel_version: '4.2.3'");
  EXPECT_EQ(findings[0].what(), "g++ 13.3.0; the doctor was built with gcc 12.2.0");
  EXPECT_EQ(findings[1].what(), "4.2.3; /usr/bin/bazel");
}

proto::DoctorFinding Bazel(const std::string& version) {
  return Build("bazel_path: '/usr/bin/bazel' bazel_version: '" + version + "'")[1];
}

TEST(JudgeBuildProgramsTest, ABazelThatIsTooOldOrTooNew) {
  EXPECT_EQ(Bazel("3.7.2").state(), proto::DoctorFinding::BROKEN);
  EXPECT_EQ(Bazel("3.7.2").what(), "3.7.2; /usr/bin/bazel; older than 4.2, the oldest that was tried");
  EXPECT_THAT(Bazel("3.7.2").remedy(), HasSubstr("install Bazelisk"));
  EXPECT_EQ(Bazel("8.0.0").state(), proto::DoctorFinding::WARN);
  EXPECT_EQ(Bazel("8.0.0").what(), "8.0.0; /usr/bin/bazel; newer than 7.7, the newest that was tried");
  EXPECT_THAT(Bazel("8.0.0").remedy(), HasSubstr("install Bazelisk"));
  EXPECT_EQ(Bazel("").state(), proto::DoctorFinding::OK);
}

TEST(CompareWithTriedBazelsTest, NumbersAreComparedAsNumbers) {
  for (const char* older : {"0.29.1", "3.7.2", "4.1.0"}) {
    EXPECT_LT(CompareWithTriedBazels(older), 0) << older;
  }
  for (const char* tried : {"4.2.3", "5.4.1", "6.0.0", "7.7.1", "7.7.9", ""}) {
    EXPECT_EQ(CompareWithTriedBazels(tried), 0) << tried;
  }
  for (const char* newer : {"7.10.0", "8.0.0", "9.0.0", "10.1.0"}) {
    EXPECT_GT(CompareWithTriedBazels(newer), 0) << newer;
  }
}

TEST(JudgeBuildProgramsTest, APortableFolderWantsNeither) {
  EXPECT_EQ(Build("", Distribution::kPortable)[0].state(), proto::DoctorFinding::ABSENT);
  EXPECT_EQ(Build("", Distribution::kPortable)[1].remedy(), "");
  EXPECT_EQ(Build("", Distribution::kBuilt)[1].remedy(), "third_party/install.sh");
  EXPECT_EQ(Build("", Distribution::kBuilt)[1].needed_for_size(), 0);
}

TEST(JudgeGnuplotTest, ThereAbsentBroken) {
  EXPECT_EQ(Gnuplot("programs { gnuplot_version: '5.4.4' }").state(), proto::DoctorFinding::OK);
  EXPECT_EQ(Gnuplot("programs { gnuplot_error: 'none' gnuplot_absent: true }").state(), proto::DoctorFinding::ABSENT);
  EXPECT_EQ(Gnuplot("programs { gnuplot_error: 'gnuplot exited with 1' }").state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(Gnuplot("probe_end { probe: 'gnuplot' kind: HUNG step: 'asking gnuplot' }").what(), HasSubstr("hung"));
}

TEST(JudgeGnuplotTest, NoUseNeedsIt) {
  for (const char* facts : {"programs { gnuplot_error: 'none' gnuplot_absent: true }",
                            "programs { gnuplot_error: 'gnuplot exited with 1' }",
                            "probe_end { probe: 'gnuplot' kind: HUNG step: 'asking gnuplot' }"}) {
    EXPECT_EQ(Gnuplot(facts).needed_for_size(), 0) << facts;
    EXPECT_THAT(Gnuplot(facts).what(), HasSubstr("; only the plots of report --format=latex need it")) << facts;
  }
}

TEST(JudgePdflatexTest, ThereOrAbsent) {
  const proto::DoctorFinding there = Pdflatex(
      "programs { pdflatex_path: '/usr/bin/pdflatex' pdflatex_version: 'pdfTeX 3.14 (TeX Live 2022/Debian)' }");
  EXPECT_EQ(there.state(), proto::DoctorFinding::OK);
  EXPECT_EQ(there.what(), "pdfTeX 3.14 (TeX Live 2022/Debian)");
  EXPECT_EQ(there.remedy(), "");
  EXPECT_EQ(Pdflatex("").state(), proto::DoctorFinding::ABSENT);
}

TEST(JudgePdflatexTest, NoUseNeedsItAndTheRemedyInstallsIt) {
  for (const char* facts : {"", "programs { pdflatex_path: '/usr/bin/pdflatex' }",
                            "probe_end { probe: 'pdflatex' kind: HUNG step: 'asking pdflatex' }"}) {
    const proto::DoctorFinding finding = Pdflatex(facts);
    EXPECT_NE(finding.state(), proto::DoctorFinding::BROKEN) << facts;
    EXPECT_EQ(finding.needed_for_size(), 0) << facts;
    EXPECT_THAT(finding.what(), HasSubstr("; only a PDF of a LaTeX document needs it")) << facts;
    EXPECT_EQ(finding.remedy(), "apt-get install texlive-latex-recommended lmodern") << facts;
  }
}

TEST(BazelVersionTest, OfUpstreamAndDebian) {
  EXPECT_EQ(BazelVersion("bazel 4.2.3\n"), "4.2.3");
  EXPECT_EQ(BazelVersion("4.2.3+ds-9"), "4.2.3");
  EXPECT_EQ(BazelVersion("bazel 7.7.1\n\n"), "7.7.1");
  EXPECT_EQ(BazelVersion("bazel no_version\n"), "");
  EXPECT_EQ(BazelVersion(""), "");
}

}  // namespace
}  // namespace lockstep
