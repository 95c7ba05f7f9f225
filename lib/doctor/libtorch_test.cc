#include "lib/doctor/libtorch.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

BuildFacts Build() {
  return {"gcc 12", "2.11.0+cu130", {"/torch/lib"}, "/cuda", 13000, 13000, "torch==2.11.0", "2.11", "2.15"};
}

BuildFacts BuildForCpus() {
  return {"gcc 12", "2.11.0+cpu", {"/torch/lib"}, "", 0, 0, "torch==2.11.0", "2.11", "2.15"};
}

proto::DoctorFinding Judged(const std::string& text, const std::string& device = "auto",
                            const BuildFacts& build = Build()) {
  proto::MachineFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &facts)) << text;
  DoctorRequest request;
  request.device = device;
  FindingList findings;
  JudgeLibTorch(facts, request, build, findings);
  EXPECT_EQ(findings.size(), 1);
  return findings[0];
}

std::string Found(const std::string& version, int abi, const std::string& more = "") {
  return "libtorch { library_folder: '/torch/lib' version: '" + version + "' cxx11_abi: " + std::to_string(abi) +
         " has_cuda: true cuda_version: " + std::to_string(TorchCuda(version)) +
         " library { path: '/torch/lib/libc10.so' } " + more + " }";
}

TEST(JudgeLibTorchTest, OneThatLoads) {
  const proto::DoctorFinding finding = Judged(Found("2.11.0+cu130", 1));
  EXPECT_EQ(finding.state(), proto::DoctorFinding::OK);
  EXPECT_EQ(finding.what(), "2.11.0+cu130, C++11 ABI 1, with CUDA 13.0, loads; /torch/lib");
}

TEST(JudgeLibTorchTest, APatchVersionIsTheSame) {
  EXPECT_EQ(Judged(Found("2.11.3", 1)).state(), proto::DoctorFinding::OK);
}

// The tools would not start with another version: "symbol lookup error".
TEST(JudgeLibTorchTest, AnotherVersionThanTheBuildsIsBroken) {
  const std::string python = "source: PYTHON python: '/usr/bin/python3'";
  for (const char* version : {"2.10.0+cu130", "2.15.0+cu132", "2.1.11", "3.11.0"}) {
    const proto::DoctorFinding finding = Judged(Found(version, 1, python));
    EXPECT_EQ(finding.state(), proto::DoctorFinding::BROKEN) << version;
    EXPECT_THAT(finding.what(), HasSubstr("the tools were built with 2.11.0+cu130"));
    EXPECT_EQ(finding.remedy(),
              "/usr/bin/python3 -m pip install torch==2.11.0, or set PYTHON to an interpreter that has it");
    EXPECT_EQ(finding.needed_for_size(), 2);
  }
}

TEST(JudgeLibTorchTest, TheRemedyForAnotherVersionDependsOnItsSource) {
  EXPECT_EQ(Judged(Found("2.15.0", 1, "source: LOCKSTEP_LIBRARIES")).remedy(),
            "unset LOCKSTEP_LIBRARIES, and python3 -m pip install torch==2.11.0; or set LOCKSTEP_LIBRARIES to the "
            "folders of that LibTorch");
  EXPECT_EQ(Judged(Found("2.15.0", 1, "source: BUILD")).remedy(),
            "bazel sync --configure, and build the tools again with this LibTorch");
}

TEST(JudgeLibTorchTest, AnotherMajorVersionOfCudaIsBroken) {
  const proto::DoctorFinding finding = Judged(Found("2.11.0+cu126", 1));
  EXPECT_EQ(finding.state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(finding.what(),
              HasSubstr("with CUDA 12.6, loads; /torch/lib; the tools were built with LibTorch for CUDA 13.0"));
  EXPECT_EQ(finding.needed_for_size(), 2);
  EXPECT_EQ(Judged(Found("2.11.0+cu132", 1)).state(), proto::DoctorFinding::OK);
}

TEST(JudgeLibTorchTest, AToolkitOfAnotherMajorVersionIsBroken) {
  BuildFacts build = Build();
  build.cuda_version = 12060;
  const proto::DoctorFinding finding = Judged(Found("2.11.0+cu130", 1), "auto", build);
  EXPECT_EQ(finding.state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(finding.what(), HasSubstr("the tools were built with the CUDA 12.6 toolkit"));
}

TEST(JudgeLibTorchTest, VersionsThatWereNotTried) {
  BuildFacts build = Build();
  build.torch_version = "2.16.0+cu132";
  const proto::DoctorFinding newer = Judged(Found("2.16.1+cu132", 1), "auto", build);
  EXPECT_EQ(newer.state(), proto::DoctorFinding::WARN);
  EXPECT_THAT(newer.what(), HasSubstr("newer than 2.15, the newest that was tried"));
  EXPECT_EQ(newer.remedy(), "if a tool fails, build the tools with a LibTorch of 2.11 to 2.15");
  build.torch_version = "2.9.1";
  const proto::DoctorFinding older = Judged(Found("2.9.1", 1), "auto", build);
  EXPECT_EQ(older.state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(older.what(), HasSubstr("older than 2.11, the oldest that was tried"));
  build.torch_version = "2.15.0";
  EXPECT_EQ(Judged(Found("2.15.0", 1), "auto", build).state(), proto::DoctorFinding::OK);
}

TEST(JudgeLibTorchTest, TheOlderAbi) {
  const proto::DoctorFinding finding = Judged(Found("2.11.0", 0));
  EXPECT_EQ(finding.state(), proto::DoctorFinding::BROKEN);
  EXPECT_EQ(finding.needed_for_size(), 2);
}

TEST(JudgeLibTorchTest, OneForCpusOnlyIsBrokenWhereAGpuIsAskedFor) {
  const std::string found = "libtorch { library_folder: '/torch/lib' version: '2.11.0+cpu' cxx11_abi: 1 }";
  EXPECT_EQ(Judged(found, "auto", BuildForCpus()).state(), proto::DoctorFinding::OK);
  EXPECT_EQ(Judged(found + "cuda { gpu {} }", "auto", BuildForCpus()).state(), proto::DoctorFinding::WARN);
  EXPECT_EQ(Judged(found, "cuda", BuildForCpus()).state(), proto::DoctorFinding::BROKEN);
}

// A program that is linked with libtorch_cuda.so does not start without it.
TEST(JudgeLibTorchTest, OneForCpusOnlyIsBrokenForToolsThatLinkCuda) {
  const proto::DoctorFinding finding =
      Judged("libtorch { source: PYTHON library_folder: '/torch/lib' version: '2.11.0+cpu' cxx11_abi: 1 }");
  EXPECT_EQ(finding.state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(finding.remedy(), HasSubstr("python3 -m pip install torch==2.11.0,"));
}

TEST(JudgeLibTorchTest, OneThatDoesNotLoad) {
  const proto::DoctorFinding finding =
      Judged(Found("2.11.0", 1, "library { error: '/torch/lib/libtorch_cpu.so: invalid ELF header' }"));
  EXPECT_EQ(finding.state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(finding.what(), HasSubstr("invalid ELF header"));
  EXPECT_THAT(finding.remedy(), HasSubstr("damaged"));
}

TEST(JudgeLibTorchTest, OneThatCrashesAndOneThatHangs) {
  const proto::DoctorFinding crashed =
      Judged("probe_end { probe: 'libtorch' kind: CRASHED step: 'dlopen of libtorch_cpu.so' signal: 7 }");
  EXPECT_EQ(crashed.state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(crashed.what(), HasSubstr("crashed in dlopen of libtorch_cpu.so (signal 7)"));
  const proto::DoctorFinding hung =
      Judged("probe_end { probe: 'libtorch' kind: HUNG step: 'dlopen of libtorch_cpu.so' }");
  EXPECT_EQ(hung.state(), proto::DoctorFinding::UNKNOWN);
  EXPECT_THAT(hung.remedy(), HasSubstr("--timeout"));
}

TEST(JudgeLibTorchTest, NoneAndTheSearchedPlaces) {
  EXPECT_THAT(Judged("libtorch { source: PYTHON python: 'python3' }").remedy(),
              HasSubstr("python3 -m pip install torch==2.11.0, or"));
  EXPECT_THAT(Judged("libtorch { source: PYTHON python: 'python3' }", "auto", BuildForCpus()).remedy(),
              HasSubstr("python3 -m pip install torch==2.11.0, or"));
  EXPECT_THAT(Judged("libtorch { source: LOCKSTEP_LIBRARIES folder: '/a' }").what(), HasSubstr("in /a"));
  EXPECT_THAT(Judged("libtorch { source: BUILD }").remedy(), HasSubstr("third_party/install.sh"));
  EXPECT_EQ(Judged("libtorch { source: BUILD }").state(), proto::DoctorFinding::ABSENT);
}

TEST(JudgeLibTorchTest, AToolThatDoesNotStart) {
  proto::MachineFacts facts;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      Found("2.11.0", 1) + "tool_start { tool: 'scale_run' output: 'scale_run: undefined symbol: _ZN2at' }"
                           "tool_start { tool: 'train_sweep' started: true output: 'train_sweep 0.1.0' }",
      &facts));
  FindingList findings;
  JudgeLibTorch(facts, {}, Build(), findings);
  ASSERT_EQ(findings.size(), 2);
  EXPECT_EQ(findings[1].area(), "scale_run");
  EXPECT_THAT(findings[1].needed_for(), ::testing::ElementsAre(proto::DoctorUse::SCALE));
}

TEST(JudgeLibTorchTest, NoToolIsNamedAfterAnotherVersion) {
  EXPECT_THAT(Judged(Found("2.15.0", 1) + "tool_start { tool: 'scale_run' output: 'undefined symbol: _ZN2at' }").what(),
              HasSubstr("built with 2.11.0"));
}

TEST(LibraryPathTest, TheSidesOnWhichTheToolsHaveThem) {
  EXPECT_EQ(LibraryPath({"/torch/lib", "/nccl/lib"}, Build(), Distribution::kBuilt, "/mine"),
            "/mine:/torch/lib:/nccl/lib:/cuda/lib64");
  EXPECT_EQ(LibraryPath({"/torch/lib"}, Build(), Distribution::kPortable, "/mine"), "/torch/lib:/mine");
  EXPECT_EQ(LibraryPath({}, Build(), Distribution::kPortable, ""), "");
}

// The loader treats an empty entry as the working folder.
TEST(LibraryPathTest, NoEntryIsEmpty) {
  EXPECT_EQ(LibraryPath({"/torch/lib"}, Build(), Distribution::kPortable, ":/mine::/his:"), "/torch/lib:/mine:/his");
  EXPECT_EQ(LibraryPath({}, Build(), Distribution::kPortable, ":"), "");
}

TEST(Cxx11AbiTest, BySymbols) {
  const std::string end(1, '\0');
  const std::string newer = end + "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcE" + end;
  const std::string older = end + "_ZN3c105ErrorC2ENS_14SourceLocationESs" + end;
  EXPECT_EQ(Cxx11Abi(newer), 1);
  EXPECT_EQ(Cxx11Abi(older), 0);
  EXPECT_EQ(Cxx11Abi(older + newer), 1);
  EXPECT_EQ(Cxx11Abi("text"), -1);
  EXPECT_EQ(Cxx11Abi(""), -1);
}

TEST(TorchVersionTest, OfAWheelAndOfTheArchive) {
  EXPECT_EQ(TorchVersion("from typing import Optional\n\n__version__ = '2.11.0+cu130'\ndebug = False\n"),
            "2.11.0+cu130");
  EXPECT_EQ(TorchVersion("2.11.0+cpu\n"), "2.11.0+cpu");
  EXPECT_EQ(TorchVersion(""), "");
}

TEST(TorchCudaTest, FromTheFileOrTheVersionsEnd) {
  EXPECT_EQ(TorchCuda("__version__ = '2.11.0a0+nv25.1'\ncuda: Optional[str] = '13.0'\n"), 13000u);
  EXPECT_EQ(TorchCuda("__version__ = '2.7.0'\ncuda = '12.8'\n"), 12080u);
  EXPECT_EQ(TorchCuda("__version__ = '2.7.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = '1.2'\n"), 0u);
  EXPECT_EQ(TorchCuda("2.7.0+cu128\n"), 12080u);
  EXPECT_EQ(TorchCuda("2.7.0+cuxyz"), 0u);
  EXPECT_EQ(TorchCuda(""), 0u);
}

}  // namespace
}  // namespace lockstep
