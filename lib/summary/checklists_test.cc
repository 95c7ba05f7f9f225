#include "lib/summary/checklists.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(JudgeTrustTest, EachRuleAndItsNeighbours) {
  EXPECT_EQ(JudgeTrust({0, {}}).rule, "nothing_measured");
  EXPECT_EQ(JudgeTrust({1, {}}).text, "Yes: no warning applies to them.");
  EXPECT_EQ(JudgeTrust({1, {{"shared_cpu", ""}}}).text, "Yes, for what was run: ranks that share one CPU.");
  EXPECT_EQ(JudgeTrust({1, {{"noisy_machine", ""}, {"noisy_machine", ""}, {"shared_cpu", ""}}}).text,
            "Mostly; the weakest point: a noisy machine.");
  EXPECT_EQ(JudgeTrust({1, {{"noisy_machine", ""}, {"one_run_only", ""}}}).text,
            "Mostly; the weakest point: a noisy machine.");
  EXPECT_EQ(JudgeTrust({1, {{"sum_check_failed", ""}, {"noisy_machine", ""}}}).text,
            "Not all: there are wrong sums of gradients.");
}

TEST(JudgeTrustTest, TimesOfANoisyMachineAreNotMostlyTrusted) {
  const auto with = [](size_t timed, size_t noisy) {
    return JudgeTrust({timed, {{"noisy_machine", ""}}, timed, noisy}).text;
  };
  EXPECT_EQ(with(7, 7), "Not the times: all 7 points were measured on a noisy machine.");
  EXPECT_EQ(with(1, 1), "Not the times: the only point was measured on a noisy machine.");
  EXPECT_EQ(with(8, 4), "Not most of the times: 4 of 8 points were measured on a noisy machine.");
  EXPECT_EQ(with(2, 1), "Not most of the times: 1 of 2 points was measured on a noisy machine.");
  EXPECT_EQ(with(9, 4), "Mostly; the weakest point: a noisy machine.");
  EXPECT_EQ(JudgeTrust({2, {{"sum_check_failed", ""}, {"noisy_machine", ""}}, 2, 2}).rule, "wrong");
}

TEST(ChecklistsTest, NoisyPointsOfSweepsAndScalingRunsAreCounted) {
  LabRecords lab = testing::SmallLab();
  const auto verdict = [&] { return TrustCard(lab, {{"noisy_machine", "long"}}).verdict(); };
  lab.sweeps[0].points[0].add_noise_warning("busy");
  EXPECT_EQ(verdict(), "Mostly; the weakest point: a noisy machine.");
  for (proto::SweepPoint& point : lab.sweeps[0].points) {
    point.add_noise_warning("busy");
  }
  for (proto::ScalePoint& point : lab.scales[0].points) {
    point.add_noise_warning("busy");
  }
  EXPECT_THAT(verdict(), HasSubstr("Not the times: all "));
}

TEST(ChecklistsTest, TrustNamesChecksAndWarnings) {
  const proto::Checklist card = TrustCard(testing::SmallLab(), {{"noisy_machine", "long"}});
  std::string items;
  for (const proto::CheckItem& item : card.item()) {
    items += item.text() + "\n";
  }
  EXPECT_THAT(items, HasSubstr("1 of 1 prediction holds within the stated interval.\n"));
  EXPECT_THAT(items, HasSubstr("A noisy machine.\n"));
  EXPECT_EQ(card.item(card.item_size() - 1).state(), proto::CHECK_WARNING);
}

TEST(ChecklistsTest, WhatIsMissing) {
  proto::SummaryCard answered, partly, none;
  answered.set_question("Q1");
  answered.set_state(proto::ANSWERED);
  partly.set_question("Q7");
  partly.set_state(proto::PARTLY);
  partly.set_verdict("Not decided: 3 seeds show no clear difference.");
  none.set_question("B1");
  none.set_state(proto::NO_ANSWER);
  none.set_command("quantize");
  EXPECT_EQ(MissingCard({}, {answered}, CommandPlace::kItems).verdict(),
            "Nothing: every question of the lab is answered.");
  EXPECT_EQ(MissingCard({}, {answered, partly}, CommandPlace::kItems).verdict(), "A decision on Q7.");
  const proto::Checklist card = MissingCard({}, {answered, partly, none}, CommandPlace::kItems);
  EXPECT_EQ(card.verdict(), "An answer to B1; a decision on Q7.");
  EXPECT_EQ(card.item(0).text(), "Q7: Not decided: 3 seeds show no clear difference.");
  EXPECT_EQ(card.item(1).text(), "No record answers B1; this command does:");
  EXPECT_EQ(card.item(1).command(), "quantize");
  const proto::Checklist with_cards = MissingCard({}, {answered, partly, none}, CommandPlace::kCards);
  EXPECT_EQ(with_cards.item(1).text(), "No record answers B1; the command is in the card below.");
  EXPECT_EQ(with_cards.item(1).command(), "");
}

TEST(ChecklistsTest, QuestionsThatTheDataSetExcludesHaveTheirReason) {
  std::vector<proto::SummaryCard> cards(3);
  for (size_t i = 0; i < cards.size(); ++i) {
    cards[i].set_question(std::vector<std::string>{"Q4", "B1", "B2"}[i]);
    cards[i].set_state(proto::NO_ANSWER);
    cards[i].set_absent_reason(i == 0 ? "No record." : "An int8 answer needs another data set.");
  }
  cards[0].set_command("scale_run");
  const proto::Checklist card = MissingCard({}, cards, CommandPlace::kItems);
  ASSERT_GE(card.item_size(), 2);
  EXPECT_EQ(card.item(0).text(), "No record answers Q4; this command does:");
  EXPECT_EQ(card.item(1).text(), "No record answers B1 and B2. An int8 answer needs another data set.");
}

TEST(ChecklistsTest, QuestionsOfOneCommandAreOneItemWithItsDuration) {
  std::vector<proto::SummaryCard> cards(3);
  for (size_t i = 0; i < cards.size(); ++i) {
    cards[i].set_question(std::vector<std::string>{"Q6", "Q7", "B1"}[i]);
    cards[i].set_state(proto::NO_ANSWER);
    cards[i].set_command(i < 2 ? "scale_run" : "quantize");
    cards[i].set_duration(i < 2 ? "about 40 s on two cores" : "");
  }
  const proto::Checklist card = MissingCard({}, cards, CommandPlace::kItems);
  ASSERT_EQ(card.item_size(), 2);
  EXPECT_EQ(card.item(0).text(), "No record answers Q6 and Q7; this command does, in about 40 s on two cores:");
  EXPECT_EQ(card.item(0).command(), "scale_run");
}

TEST(ChecklistsTest, TheChipShowsTheWorstWarning) {
  const proto::WarningChip chip = MakeWarningChip({{"noisy_machine", "Noise."}, {"shared_cpu", "CPU."}});
  EXPECT_EQ(chip.count(), 2u);
  EXPECT_EQ(chip.worst(), "Noise.");
  EXPECT_EQ(MakeWarningChip({{"noisy_machine", std::string(200, 'x')}}).worst(), "A noisy machine.");
}

}  // namespace
}  // namespace lockstep
