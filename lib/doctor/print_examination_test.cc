#include "lib/doctor/print_examination.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

proto::Examination Parsed(const std::string& text) {
  proto::Examination examination;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &examination)) << text;
  return examination;
}

TEST(ExaminationTextTest, ALineForEachAndItsRemedyBelow) {
  EXPECT_EQ(ExaminationText(Parsed("finding { area: 'driver' state: OK what: '580.95 (CUDA 13.0)' }"
                                   "finding { area: 'data' state: ABSENT what: 'none' remedy: '--input=PATH' }"
                                   "use { kind: TRAIN because: 'data' because: 'disk' }"
                                   "use { kind: SCALE works: true device: 'cpu' } use { kind: REPORT works: true }")),
            "ok      driver      580.95 (CUDA 13.0)\n"
            "absent  data        none\n"
            "                    -> --input=PATH\n"
            "\n"
            "train               will not work: data, disk\n"
            "scale               works, on cpu\n"
            "report              works\n");
}

TEST(ExaminationTextTest, LongLinesAreBrokenAtSpaces) {
  std::string words = "word";
  for (int i = 0; i < 60; ++i) {
    words += " word";
  }
  const std::string path = "/" + std::string(200, 'p');
  const std::string text =
      ExaminationText(Parsed("finding { area: 'a' state: OK what: '" + words + "' remedy: '" + path + "' }"));
  size_t start = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start)) {
    const std::string line = text.substr(start, end - start);
    EXPECT_TRUE(line.size() <= 120 || line.find(path) != std::string::npos) << line;
  }
  EXPECT_THAT(text, HasSubstr("\n                    word"));
}

TEST(ExaminationTextTest, NoControlCharacterReachesTheTerminal) {
  EXPECT_THAT(ExaminationText(Parsed("finding { area: 'disk' state: OK what: 'in \\033[31mred' }")),
              HasSubstr("\\x1b[31m"));
}

TEST(OnlyTroublesTest, WhatWorksOrIsNotNeededIsLeftOut) {
  const proto::Examination troubles = OnlyTroubles(Parsed(
      "finding { area: 'a' state: OK } finding { area: 'b' state: WARN } finding { area: 'c' state: ABSENT }"
      "finding { area: 'd' state: ABSENT needed_for: TRAIN } use { kind: TRAIN } use { kind: SCALE works: true }"));
  ASSERT_EQ(troubles.finding_size(), 2);
  EXPECT_EQ(troubles.finding(0).area(), "b");
  EXPECT_EQ(troubles.finding(1).area(), "d");
  ASSERT_EQ(troubles.use_size(), 1);
  EXPECT_EQ(troubles.use(0).kind(), proto::DoctorUse::TRAIN);
  EXPECT_EQ(ExaminationText(OnlyTroubles(Parsed("finding { state: OK } use { works: true }"))), "");
}

TEST(ExaminationJsonTest, NamesAndEmptyFields) {
  const std::string json = ExaminationJson(Parsed("finding { area: 'a' state: OK needed_for: TRAIN }"));
  EXPECT_THAT(json, HasSubstr("\"needed_for\": [\n"));
  EXPECT_THAT(json, HasSubstr("\"remedy\": \"\""));
  EXPECT_THAT(json, HasSubstr("\"state\": \"OK\""));
}

}  // namespace
}  // namespace lockstep
