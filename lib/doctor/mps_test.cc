#include "lib/doctor/mps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

FindingList Judged(const std::string& fields, int gpus = 1) {
  proto::MachineFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("mps { pipe_directory: '/p' " + fields + " }", &facts));
  for (int i = 0; i < gpus; ++i) {
    facts.mutable_cuda()->add_gpu();
  }
  FindingList findings;
  JudgeMps(facts, {}, findings);
  return findings;
}

TEST(JudgeMpsTest, OnAndOff) {
  EXPECT_EQ(Judged("control_pipe: true daemon_runs: true")[0].what(), "on, at /p");
  EXPECT_EQ(Judged("")[0].what(), "off");
  EXPECT_EQ(Judged("")[0].state(), proto::DoctorFinding::OK);
  EXPECT_EQ(Judged("", 0).size(), 0);
}

TEST(JudgeMpsTest, AShareOfAGpu) {
  const FindingList findings = Judged("control_pipe: true daemon_runs: true active_thread_percentage: '50'");
  EXPECT_EQ(findings[0].state(), proto::DoctorFinding::WARN);
  EXPECT_THAT(findings[0].what(), HasSubstr("50 % of a GPU"));
}

TEST(JudgeMpsTest, APipeADaemonOrAVariableAlone) {
  for (const char* fields : {"control_pipe: true", "daemon_runs: true", "directory_named: true"}) {
    const FindingList findings = Judged(fields, 0);
    ASSERT_EQ(findings.size(), 1) << fields;
    EXPECT_EQ(findings[0].state(), proto::DoctorFinding::WARN);
    EXPECT_NE(findings[0].remedy(), "");
  }
}

}  // namespace
}  // namespace lockstep
