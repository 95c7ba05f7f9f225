#include "lib/summary/int8_verdicts.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// 15 of 20 changes are losses with probability 2 * 0.0207 = 0.041, 14 of 20 with 0.115 (two-sided binomial test).
TEST(JudgeInt8Test, EachRuleAndItsNeighbours) {
  EXPECT_EQ(JudgeInt8({{0, 0, 0}}).rule, "no_images");
  EXPECT_EQ(JudgeInt8({{15, 5, 10000}}).text, "0.10 points of accuracy, more than chance explains.");
  EXPECT_EQ(JudgeInt8({{14, 6, 10000}}).text, "Nothing that can be measured.");
  EXPECT_EQ(JudgeInt8({{5, 15, 10000}}).text, "Nothing: accuracy rises by 0.10 points.");
  EXPECT_EQ(JudgeInt8({{0, 0, 256}}).rule, "too_few_images") << "256 images cannot exclude a loss of one point";
  EXPECT_EQ(JudgeInt8({{0, 0, 1000}}).rule, "nothing");
  EXPECT_EQ(JudgeInt8({{0, 0, 256}}).text.rfind("Not decided: 256 images cannot exclude a loss of 1.", 0), 0u);
}

TEST(JudgeInt8Test, NothingIsSaidOfANetworkThatHasNotLearned) {
  EXPECT_EQ(JudgeInt8({{0, 0, 1000}, 0.098}).text,
            "Not decided: in fp32 9.8 % are right, and by chance 10 %, so there is little to lose.");
  EXPECT_EQ(JudgeInt8({{15, 5, 10000}, 0.19}).rule, "near_chance");
  EXPECT_EQ(JudgeInt8({{0, 0, 1000}, 0.19}).state, proto::PARTLY);
  EXPECT_EQ(JudgeInt8({{15, 5, 10000}, 0.2}).rule, "costs");
  EXPECT_EQ(JudgeInt8({{0, 0, 0}, 0}).rule, "no_images");
}

TEST(JudgeRangeTest, EachRuleAndItsNeighbours) {
  EXPECT_EQ(JudgeRange({}).rule, "no_layer");
  EXPECT_EQ(JudgeRange({1, 0.5, 0.5}).text, "±0.500.");
  EXPECT_EQ(JudgeRange({2, 0.5, 12.34}).text, "From ±0.500 to ±12.3, depending on the layer.");
}

}  // namespace
}  // namespace lockstep
