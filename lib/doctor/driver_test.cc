#include "lib/doctor/driver.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::testing::HasSubstr;

FindingList Judged(const std::string& text, const std::string& device = "auto") {
  proto::MachineFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &facts)) << text;
  DoctorRequest request;
  request.device = device;
  FindingList findings;
  JudgeDriver(facts, request, findings);
  return findings;
}

// Returns the facts of a driver that answers, and of the LibTorch next to it.
std::string Working(int cuda_version, int of_torch) {
  return "cuda { library { path: '/lib/libcuda.so.1' } init_code: 0 cuda_version: " + std::to_string(cuda_version) +
         " gpu {} } nvml { driver_version: '580.95.05' } libtorch { cuda_version: " + std::to_string(of_torch) + " }";
}

constexpr char kMissing[] =
    "cuda { library { error: 'libcuda.so.1: cannot open shared object file: No such file or directory' } }";

TEST(JudgeDriverTest, AWorkingDriver) {
  const FindingList findings = Judged(Working(13000, 13000));
  ASSERT_EQ(findings.size(), 2);
  EXPECT_THAT(findings[0], EqualsProto("area: 'driver' state: OK what: '580.95.05 (CUDA 13.0)'"));
  EXPECT_EQ(findings[1].state(), proto::DoctorFinding::OK);
}

TEST(JudgeDriverTest, AMinorVersionMoreIsRunByTheSameDriver) {
  EXPECT_EQ(Judged(Working(12020, 12080))[1].state(), proto::DoctorFinding::OK);
}

TEST(JudgeDriverTest, AnOlderDriverThanCudaWants) {
  const FindingList findings = Judged(Working(12020, 13000), "cuda");
  ASSERT_EQ(findings.size(), 2);
  EXPECT_EQ(findings[1].state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(findings[1].remedy(),
              HasSubstr("580 or newer, or build the tools with a toolkit and a LibTorch for CUDA 12"));
  EXPECT_EQ(findings[1].needed_for_size(), 2);
}

TEST(JudgeDriverTest, ALibTorchWithoutCudaWantsNone) { EXPECT_EQ(Judged(Working(12020, 0)).size(), 1); }

TEST(JudgeDriverTest, NoGpuIsNeededUnlessAskedFor) {
  EXPECT_EQ(Judged(kMissing)[0].state(), proto::DoctorFinding::ABSENT);
  EXPECT_EQ(Judged(kMissing)[0].needed_for_size(), 0);
  EXPECT_EQ(Judged(kMissing, "cuda")[0].needed_for_size(), 2);
  EXPECT_NE(Judged(kMissing, "cuda")[0].remedy(), "");
}

TEST(JudgeDriverTest, AGpuWithoutADriver) {
  const FindingList findings = Judged(std::string(kMissing) + " host { nvidia_gpus_on_pci: 2 }");
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(findings[0].remedy(), HasSubstr("--gpus=all"));
}

TEST(JudgeDriverTest, ADriverThatRefuses) {
  const FindingList findings =
      Judged("cuda { library { path: '/usr/local/cuda/lib64/stubs/libcuda.so.1' } init_code: 34 }");
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(findings[0].what(), HasSubstr("CUDA_ERROR_STUB_LIBRARY (34), from /usr/local/cuda/lib64/stubs"));
  EXPECT_THAT(findings[0].remedy(), HasSubstr("LD_LIBRARY_PATH"));
}

TEST(JudgeDriverTest, ADriverThatHangs) {
  const FindingList findings = Judged("probe_end { probe: 'cuda' kind: HUNG step: 'cuInit' }", "cuda");
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].what(), "libcuda.so.1 hung in cuInit");
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::BROKEN);
}

TEST(JudgeDriverTest, TheKernelModuleGivesItsVersionWithoutNvml) {
  const FindingList findings = Judged(
      "cuda { library { path: 'l' } init_code: 0 cuda_version: 12020 }"
      "host { kernel_module: 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 2023' }");
  EXPECT_EQ(findings[0].what(), "535.104.05 (CUDA 12.2)");
}

TEST(CudaErrorTest, UnknownCodesHaveARemedyToo) {
  EXPECT_EQ(CudaErrorName(100), "CUDA_ERROR_NO_DEVICE (100)");
  EXPECT_EQ(CudaErrorName(4711), "CUDA error 4711");
  EXPECT_NE(CudaErrorRemedy(4711), "");
  EXPECT_THAT(CudaErrorRemedy(802), HasSubstr("fabricmanager"));
}

TEST(OldestDriverTest, OfEachMajorVersion) {
  EXPECT_EQ(OldestDriver(13000), "580");
  EXPECT_EQ(OldestDriver(12080), "525");
  EXPECT_EQ(OldestDriver(99000), "");
}

}  // namespace
}  // namespace lockstep
