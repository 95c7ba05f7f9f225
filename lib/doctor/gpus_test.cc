#include "lib/doctor/gpus.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Judge = void (*)(const proto::MachineFacts&, const DoctorRequest&, FindingList&);

FindingList Judged(Judge judge, const std::string& text, const std::string& device = "auto") {
  proto::MachineFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &facts)) << text;
  DoctorRequest request;
  request.device = device;
  FindingList findings;
  judge(facts, request, findings);
  return findings;
}

// Returns `count` GPUs, GPU-0 and so on. NVML lists them in reverse order, which CUDA_DEVICE_ORDER can cause.
std::string Gpus(int count, const std::string& nvml_fields = "") {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string uuid = " uuid: 'GPU-" + std::to_string(i) + "' ";
    text += "cuda { gpu { name: 'NVIDIA H200'" + uuid + "memory_bytes: 150e9 compute_capability: '9.0' } }";
  }
  for (int i = count - 1; i >= 0; --i) {
    text += "nvml { init_code: 0 gpu { uuid: 'GPU-" + std::to_string(i) + "' " + nvml_fields + " } }";
  }
  return text;
}

std::string Peer(int first, int second, bool access) {
  return "cuda { peer { first: " + std::to_string(first) + " second: " + std::to_string(second) +
         " both_ways: " + (access ? "true" : "false") + " } }";
}

std::string Lanes(int first, int second, const std::string& lanes) {
  return "nvml { links { first: " + std::to_string(first) + " second: " + std::to_string(second) + " lanes: '" + lanes +
         "' } }";
}

TEST(JudgeGpusTest, AHealthyGpu) {
  const FindingList findings =
      Judged(JudgeGpus, Gpus(1,
                             "state { sm_clock_mhz: 345 temperature_celsius: 34 power_watts: 76 power_limit_watts: 700"
                             " throttle_reason: 'sw_power_cap' } max_sm_clock_mhz: 1980 ecc_on: true mig_on: false"
                             " compute_mode: 0 memory_used_bytes: 1e6 uncorrected_ecc_errors: 0"));
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].area(), "gpu 0");
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::OK);
  EXPECT_EQ(findings[0].what(),
            "NVIDIA H200, capability 9.0, 150 GB, 345 of 1980 MHz, ECC on, MIG off, 34 C, 76 of 700 W");
}

TEST(JudgeGpusTest, WhatMakesTimesOrResultsWorse) {
  const std::vector<std::pair<std::string, std::string>> problems = {
      {"uncorrected_ecc_errors: 3", "3 uncorrected ECC errors"},
      {"compute_mode: 3", "exclusive to one process"},
      {"state { throttle_reason: 'hw_thermal_slowdown' }", "slowed down by hw_thermal_slowdown"},
      {"mig_on: true", "MIG is on"},
      {"memory_used_bytes: 12e9", "12.0 GB in use"},
  };
  for (const auto& [fields, expected] : problems) {
    const FindingList findings = Judged(JudgeGpus, Gpus(1, fields));
    ASSERT_EQ(findings.size(), 1);
    EXPECT_EQ(findings[0].state(), proto::DoctorFinding::WARN) << fields;
    EXPECT_THAT(findings[0].what(), HasSubstr(expected));
    EXPECT_NE(findings[0].remedy(), "");
  }
}

TEST(JudgeGpusTest, SeveralProblemsOfOneGpu) {
  const FindingList findings = Judged(JudgeGpus, Gpus(1, "mig_on: true uncorrected_ecc_errors: 1"));
  EXPECT_THAT(findings[0].what(), AllOf(HasSubstr("MIG is on"), HasSubstr("1 uncorrected")));
  EXPECT_THAT(findings[0].remedy(), HasSubstr("; "));
}

TEST(JudgeGpusTest, ProhibitedIsBrokenWhereAGpuIsAskedFor) {
  const FindingList findings = Judged(JudgeGpus, Gpus(1, "compute_mode: 2"), "cuda");
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::BROKEN);
  EXPECT_EQ(findings[0].needed_for_size(), 2);
}

TEST(JudgeGpusTest, NvmlThatIsMissingOrHangs) {
  const FindingList missing =
      Judged(JudgeGpus, "cuda { gpu { name: 'A' uuid: 'U' } } nvml { library { error: 'none' } }");
  ASSERT_EQ(missing.size(), 2);
  EXPECT_THAT(missing[0].what(), HasSubstr("unknown"));
  EXPECT_EQ(missing[1].state(), proto::DoctorFinding::WARN);
  const FindingList hung = Judged(JudgeGpus, "probe_end { probe: 'nvml' kind: HUNG step: 'nvmlInit_v2' }");
  ASSERT_EQ(hung.size(), 1);
  EXPECT_EQ(hung[0].state(), proto::DoctorFinding::UNKNOWN);
}

TEST(JudgeGpusTest, NothingWithoutGpus) {
  EXPECT_THAT(Judged(JudgeGpus, "nvml { library { error: 'none' } }"), IsEmpty());
  EXPECT_THAT(Judged(JudgeLinks, ""), IsEmpty());
}

TEST(JudgeGpusTest, GpusThatCudaDoesNotShow) {
  const FindingList findings = Judged(JudgeGpus, "nvml { init_code: 0 gpu {} gpu {} }");
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].what(), "NVML lists 2 GPUs, CUDA none");
}

TEST(JudgeLinksTest, EqualPairsAreOneLine) {
  const FindingList findings = Judged(JudgeLinks, Gpus(3) + Peer(0, 1, true) + Peer(0, 2, true) + Peer(1, 2, true) +
                                                      Lanes(0, 1, "NV18") + Lanes(0, 2, "NV18") + Lanes(1, 2, "NV18"));
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].what(), "all 3 pairs: NVLink NV18, peer access");
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::OK);
}

// NVML's GPU 0 is CUDA's GPU 2, so NVML's link 0-1 is CUDA's link 1-2.
TEST(JudgeLinksTest, PairsAreFoundByUuid) {
  const FindingList findings =
      Judged(JudgeLinks, Gpus(3) + Peer(0, 1, false) + Peer(0, 2, false) + Peer(1, 2, true) + Lanes(0, 1, "NV4"));
  std::vector<std::string> lines;
  for (const proto::DoctorFinding& finding : findings) {
    lines.push_back(finding.what());
  }
  EXPECT_THAT(lines,
              ElementsAre("GPUs 0 and 1, 0 and 2: no NVLink, no peer access", "GPUs 1 and 2: NVLink NV4, peer access"));
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::WARN);
}

}  // namespace
}  // namespace lockstep
