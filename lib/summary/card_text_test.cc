#include "lib/summary/card_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(CardTextTest, ThreeSignificantDigits) {
  EXPECT_EQ(ThreeDigits(3.957), "3.96");
  EXPECT_EQ(ThreeDigits(9.996), "10.0");
  EXPECT_EQ(ThreeDigits(0.10075), "0.101");
  EXPECT_EQ(ThreeDigits(0.0123), "0.0123");
  EXPECT_EQ(ThreeDigits(999.4), "999");
  EXPECT_EQ(ThreeDigits(1337), "1.34k");
  EXPECT_EQ(ThreeDigits(134123), "134k");
  EXPECT_EQ(ThreeDigits(2.5e6), "2.50M");
  EXPECT_EQ(ThreeDigits(0), "0.00");
}

TEST(CardTextTest, TimesAndShares) {
  EXPECT_EQ(ShortSeconds(4), "4.00 s");
  EXPECT_EQ(ShortSeconds(0.1007), "0.101 s");
  EXPECT_EQ(ShortSeconds(0.0079), "7.90 ms");
  EXPECT_EQ(ShortSeconds(52e-6), "52.0 us");
  EXPECT_EQ(ShortPercent(0.979), "98 %");
  EXPECT_EQ(ShortPercent(0.039), "3.9 %");
  EXPECT_EQ(PercentRoundedDown(0.979), "97 %");
  EXPECT_EQ(PercentRoundedDown(0.97), "97 %");
  EXPECT_EQ(PercentRoundedUp(0.031), "4 %");
  EXPECT_EQ(PercentRoundedUp(0.0001), "1 %");
  EXPECT_EQ(SignedPoints(-0.0005), "−0.05");
  EXPECT_EQ(SignedPoints(0.0001), "+0.01");
  EXPECT_EQ(SignedPoints(-0.00001), "0.00");
}

TEST(CardTextTest, AnswersAreCountedByTheirState) {
  std::vector<proto::QuestionChip> chips(12);
  EXPECT_EQ(AnswersText(chips), "0 of 12 questions answered");
  for (int i = 0; i < 11; ++i) {
    chips[i].set_state(i < 8 ? proto::ANSWERED : proto::PARTLY);
  }
  chips[11].set_state(proto::NO_ANSWER);
  EXPECT_EQ(AnswersText(chips), "8 of 12 questions answered, 3 partly");
}

proto::Header HeaderOf(const std::string& device, const std::string& capability) {
  proto::Header header;
  header.add_device()->set_name(device);
  header.mutable_device(0)->set_compute_capability(capability);
  return header;
}

TEST(CardTextTest, DevicesWithoutMakerAndMemory) {
  EXPECT_EQ(ShortDevice(HeaderOf("NVIDIA H100 80GB HBM3", "9.0")), "H100");
  EXPECT_EQ(ShortDevice(HeaderOf("NVIDIA A100-SXM4-80GB", "8.0")), "A100");
  EXPECT_EQ(ShortDevice(HeaderOf("NVIDIA GeForce RTX 4090", "8.9")), "GeForce RTX 4090");
  EXPECT_EQ(ShortDevice(HeaderOf("AMD EPYC 9654", "")), "CPU");
  EXPECT_EQ(DevicesText(4, HeaderOf("NVIDIA H200", "9.0")), "4 H200");
  EXPECT_EQ(DevicesText(1, HeaderOf("NVIDIA H200", "9.0")), "one H200");
  EXPECT_EQ(DevicesText(2, {}), "2 ranks of one CPU");
}

}  // namespace
}  // namespace lockstep
