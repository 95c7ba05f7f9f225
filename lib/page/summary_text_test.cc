#include "lib/page/summary_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(SummaryTextTest, AHeadlineInOneLine) {
  proto::Headline headline;
  EXPECT_EQ(HeadlineText(headline), "");
  headline.set_number("3.96");
  headline.set_unit("times as fast as one");
  headline.add_base("on 4 H100 at batch 512,");
  headline.add_base("99 % of ideal");
  EXPECT_EQ(HeadlineText(headline), "3.96 times as fast as one on 4 H100 at batch 512, 99 % of ideal");
}

TEST(SummaryTextTest, ChipsAndWarnings) {
  proto::Summary summary;
  EXPECT_EQ(WarningChipText(summary), "");
  summary.mutable_warning_chip()->set_count(2);
  summary.mutable_warning_chip()->set_worst("Noise.");
  EXPECT_EQ(WarningChipText(summary), "2 warnings. Worst: Noise.");
  proto::QuestionChip& chip = *summary.add_chip();
  chip.set_question("Q1");
  chip.set_state(proto::ANSWERED);
  *summary.add_chip() = chip;
  summary.mutable_chip(1)->set_state(proto::NO_ANSWER);
  EXPECT_EQ(ChipsText(summary), "Q1 answered, Q1 not answered");
  summary.set_answers("1 of 2 questions answered");
  EXPECT_EQ(ChipsText(summary), "1 of 2 questions answered: Q1 answered, Q1 not answered");
}

}  // namespace
}  // namespace lockstep
