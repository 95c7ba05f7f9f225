#include "lib/doctor/host.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr char kHealthy[] =
    "memory_bytes: 64e9 shared_memory_bytes: 32e9 shared_memory_free_bytes: 32e9 shared_memory_writable: true "
    "kernel_shmmax_bytes: 1.8e19 locked_memory_bytes: 8388608 ";

// Returns the finding of one area. If a field is given twice, protobuf takes the last value.
proto::DoctorFinding Judged(const std::string& area, const std::string& fields, const std::string& more = "") {
  proto::MachineFacts facts, changes;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("host { " + std::string(kHealthy) + "}" + more, &facts));
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("host { " + fields + "}", &changes)) << fields;
  facts.MergeFrom(changes);
  FindingList findings;
  JudgeHost(facts, {}, findings);
  for (const proto::DoctorFinding& finding : findings) {
    if (finding.area() == area) {
      return finding;
    }
  }
  ADD_FAILURE() << "no finding of " << area;
  return {};
}

TEST(JudgeHostTest, AHealthyHost) {
  for (const char* area : {"memory", "/dev/shm", "shmmax", "memlock", "loopback"}) {
    EXPECT_EQ(Judged(area, "").state(), proto::DoctorFinding::OK) << area;
    EXPECT_EQ(Judged(area, "").remedy(), "") << area;
  }
  EXPECT_EQ(Judged("shmmax", "").what(), "no limit");
}

TEST(JudgeHostTest, AContainersSharedMemory) {
  const proto::DoctorFinding small =
      Judged("/dev/shm", "shared_memory_bytes: 67108864 shared_memory_free_bytes: 67108864");
  EXPECT_EQ(small.state(), proto::DoctorFinding::WARN);
  EXPECT_THAT(small.remedy(), HasSubstr("--shm-size=1g"));
}

TEST(JudgeHostTest, NoSharedMemoryIsNeededBetweenGpusAlone) {
  proto::MachineFacts facts;
  FindingList findings;
  facts.mutable_host()->set_memory_bytes(64e9);
  JudgeHost(facts, {}, findings);
  EXPECT_EQ(findings[1].state(), proto::DoctorFinding::ABSENT);
  EXPECT_EQ(findings[1].needed_for_size(), 0);
  facts.mutable_cuda()->add_gpu();
  facts.mutable_cuda()->add_gpu();
  findings.Clear();
  JudgeHost(facts, {}, findings);
  EXPECT_EQ(findings[1].needed_for_size(), 1);
}

TEST(JudgeHostTest, AMemoryLimitOfAControlGroup) {
  const proto::DoctorFinding limited = Judged("memory", "memory_allowed_bytes: 2e9");
  EXPECT_EQ(limited.state(), proto::DoctorFinding::WARN);
  EXPECT_EQ(limited.what(), "2.00 GB allowed by the control group, of 64.0 GB");
  EXPECT_EQ(Judged("memory", "memory_allowed_bytes: 1e12").what(), "64.0 GB");
}

TEST(JudgeHostTest, LockedMemoryMattersToInfiniBand) {
  EXPECT_EQ(Judged("memlock", "infiniband_devices: 1").state(), proto::DoctorFinding::WARN);
}

TEST(JudgeHostTest, ASmallShmmax) {
  EXPECT_EQ(Judged("shmmax", "kernel_shmmax_bytes: 33554432").state(), proto::DoctorFinding::WARN);
}

TEST(JudgeHostTest, NoLoopback) {
  const proto::DoctorFinding broken = Judged("loopback", "loopback_error: 'connect: Network is unreachable'");
  EXPECT_EQ(broken.state(), proto::DoctorFinding::BROKEN);
  EXPECT_EQ(broken.needed_for_size(), 1);
  EXPECT_THAT(Judged("loopback", "", "probe_end { probe: 'host' kind: HUNG step: 'a connection to 127.0.0.1' }").what(),
              HasSubstr("hung in a connection"));
}

TEST(MemoryLimitBytesTest, TheSmallestOfBothVersions) {
  EXPECT_EQ(MemoryLimitBytes({"cpu.max=200000 100000", "memory.max=8589934592", "memory.high=4294967296"}), 4294967296);
  EXPECT_EQ(MemoryLimitBytes({"memory.limit_in_bytes=1000"}), 1000);
  EXPECT_EQ(MemoryLimitBytes({"cpu.max=200000 100000"}), 0);
  EXPECT_EQ(MemoryLimitBytes({}), 0);
}

}  // namespace
}  // namespace lockstep
