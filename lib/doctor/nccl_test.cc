#include "lib/doctor/nccl.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr char kMissing[] = "nccl { error: 'libnccl.so.2: cannot open shared object file: No such file or directory' }";

proto::DoctorFinding Judged(const std::string& text, const std::string& device = "auto") {
  proto::MachineFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &facts)) << text;
  DoctorRequest request;
  request.device = device;
  FindingList findings;
  JudgeNccl(facts, request, findings);
  EXPECT_EQ(findings.size(), 1);
  return findings[0];
}

TEST(JudgeNcclTest, OneThatLoads) {
  EXPECT_EQ(Judged("nccl { path: '/l/libnccl.so.2' version: '2.28.9' }").what(), "2.28.9, loads; /l/libnccl.so.2");
}

TEST(JudgeNcclTest, SeveralGpusNeedIt) {
  EXPECT_EQ(Judged(kMissing).needed_for_size(), 0);
  EXPECT_EQ(Judged(std::string(kMissing) + "cuda { gpu {} }").needed_for_size(), 0);
  EXPECT_EQ(Judged(std::string(kMissing) + "cuda { gpu {} gpu {} }").needed_for_size(), 1);
  EXPECT_EQ(Judged(std::string(kMissing) + "cuda { gpu {} gpu {} }", "cpu").needed_for_size(), 0);
}

TEST(JudgeNcclTest, BrokenOnes) {
  EXPECT_EQ(Judged("nccl { error: 'libnccl.so.2: file too short' }").state(), proto::DoctorFinding::BROKEN);
  EXPECT_THAT(Judged("probe_end { probe: 'nccl' kind: CRASHED signal: 11 step: 'dlopen of libnccl.so.2' }").what(),
              HasSubstr("signal 11"));
}

TEST(NcclVersionTest, BothCodes) {
  EXPECT_EQ(NcclVersion(22809), "2.28.9");
  EXPECT_EQ(NcclVersion(20906), "2.9.6");
  EXPECT_EQ(NcclVersion(2804), "2.8.4");
}

}  // namespace
}  // namespace lockstep
