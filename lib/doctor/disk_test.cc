#include "lib/doctor/disk.h"

#include <glob.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

proto::DoctorFinding Judged(const proto::MachineFacts& facts) {
  FindingList findings;
  JudgeDisk(facts, findings);
  EXPECT_EQ(findings.size(), 1);
  return findings[0];
}

proto::DoctorFinding WithFree(double bytes) {
  proto::MachineFacts facts;
  facts.mutable_disk()->set_folder("/d");
  facts.mutable_disk()->set_free_bytes(bytes);
  return Judged(facts);
}

proto::MachineFacts Probed(const std::string& folder) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  ProbeAnswer answer(ends[1]);
  DoctorRequest request;
  request.output = folder;
  ProbeDisk(request, answer);
  close(ends[1]);
  std::string bytes(4096, '\0');
  bytes.resize(static_cast<size_t>(read(ends[0], bytes.data(), bytes.size())));
  close(ends[0]);
  return ReadAnswer(bytes);
}

TEST(ProbeDiskTest, WritesAndLeavesNothing) {
  const std::string folder = ::testing::TempDir() + "/disk_test_XXXXXX";
  std::string made = folder;
  ASSERT_NE(mkdtemp(made.data()), nullptr);
  const proto::MachineFacts facts = Probed(made);
  EXPECT_EQ(facts.disk().error(), "");
  EXPECT_GT(facts.disk().free_bytes(), 0);
  EXPECT_EQ(rmdir(made.c_str()), 0) << "it is not empty";
}

TEST(ProbeDiskTest, AFolderThatIsNotThere) {
  EXPECT_THAT(Judged(Probed("/nonexistent/folder")).what(), HasSubstr("No such file or directory"));
  EXPECT_EQ(Judged(Probed("/nonexistent/folder")).needed_for_size(), 3);
}

TEST(ProbeDiskTest, AFileIsNoFolder) {
  EXPECT_EQ(Judged(Probed("/proc/version")).state(), proto::DoctorFinding::BROKEN);
}

TEST(JudgeDiskTest, Room) {
  EXPECT_EQ(WithFree(50e9).state(), proto::DoctorFinding::OK);
  EXPECT_EQ(WithFree(1e9).state(), proto::DoctorFinding::WARN);
  EXPECT_EQ(WithFree(100e6).state(), proto::DoctorFinding::BROKEN);
}

}  // namespace
}  // namespace lockstep
