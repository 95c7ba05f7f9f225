#include "lib/doctor/data_set.h"

#include <sys/stat.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

proto::DoctorFinding Judged(const std::string& text) {
  proto::MachineFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &facts)) << text;
  FindingList findings;
  JudgeDataSet(facts, findings);
  EXPECT_EQ(findings.size(), 1);
  return findings[0];
}

TEST(JudgeDataSetTest, EachKind) {
  EXPECT_EQ(Judged("data { kind: RECORDS path: 'd.rec' description: 'whole' }").what(), "d.rec: whole");
  EXPECT_EQ(Judged("data { kind: RAW path: 'c.tar.gz' description: 'gzip archive' }").state(),
            proto::DoctorFinding::OK);
  EXPECT_THAT(Judged("data { kind: RAW path: 'c.tar.gz' }").remedy(), HasSubstr("cifar_prep --input=c.tar.gz"));
  EXPECT_EQ(Judged("data { kind: BAD path: 'x' description: 'no record file' }").state(), proto::DoctorFinding::BROKEN);
  EXPECT_EQ(Judged("data { kind: NONE }").state(), proto::DoctorFinding::ABSENT);
  EXPECT_EQ(Judged("data { kind: NONE }").needed_for_size(), 2);
}

TEST(JudgeDataSetTest, ADiskThatHangs) {
  EXPECT_EQ(Judged("probe_end { probe: 'data' kind: HUNG step: 'reading d.rec' }").what(), "hung in reading d.rec");
}

TEST(UsualPlacesTest, TheTestsVariableIsOne) {
  setenv("LOCKSTEP_CIFAR10", "/data/cifar", 1);
  EXPECT_EQ(UsualPlaces().back(), "/data/cifar");
  unsetenv("LOCKSTEP_CIFAR10");
  EXPECT_EQ(UsualPlaces().front(), "dataset.rec");
}

TEST(ArchiveKindTest, ByItsFirstBytes) {
  EXPECT_EQ(ArchiveKind("\x1f\x8b\x08"), "gzip archive");
  EXPECT_EQ(ArchiveKind("PK\x03\x04"), "zip archive");
  EXPECT_EQ(ArchiveKind("\xfd"
                        "7zXZ"),
            "xz archive");
  EXPECT_EQ(ArchiveKind(std::string(257, 'x') + "ustar"), "tar archive");
  EXPECT_EQ(ArchiveKind(std::string(257, 'x') + "usta"), "");
  EXPECT_EQ(ArchiveKind(""), "");
}

}  // namespace
}  // namespace lockstep
