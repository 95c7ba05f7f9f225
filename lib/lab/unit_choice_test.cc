#include "lib/lab/unit_choice.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

// Returns a unit of two steps, NAME1 and NAME2, which take each of `seconds` in turn.
LabUnit TwoSteps(const std::string& name, const std::vector<double>& seconds, bool may_shrink) {
  LabUnit unit;
  unit.name = unit.about = name;
  unit.may_shrink = may_shrink;
  for (const double of_step : seconds) {
    LabVariant& variant = unit.variants.emplace_back();
    variant.extent = absl::StrCat(of_step, " s");
    for (const int number : {1, 2}) {
      LabStep step;
      step.record = absl::StrCat(name, number);
      step.command = {"tool", step.record, variant.extent};
      step.seconds = of_step;
      variant.steps.push_back(step);
    }
  }
  return unit;
}

std::vector<int> Extents(const std::vector<LabUnit>& units, const LabProgress& progress, double budget) {
  std::vector<int> extents;
  for (const UnitChoice& choice : ChooseUnits(units, progress, budget, Experiments::kFitting)) {
    extents.push_back(choice.variant);
  }
  return extents;
}

void Make(const LabStep& step, LabProgress& progress) { progress.made[step.record] = {step.command, true}; }

// Pages take 2 s: the smallest extents of `a` and `b` take 24 and 44 s, the largest ones 104 and 84 s.
std::vector<LabUnit> Units(bool may_shrink) {
  return {TwoSteps("a", {10, 50}, may_shrink), TwoSteps("b", {20, 40}, may_shrink)};
}

TEST(UnitChoiceTest, SmallestExtentsComeFirstAndAReserveStays) {
  EXPECT_THAT(Extents(Units(true), {}, 1000), ElementsAre(1, 1));
  EXPECT_THAT(Extents(Units(true), {}, 2 + 1.1 * 188 + 0.1), ElementsAre(1, 1));
  EXPECT_THAT(Extents(Units(true), {}, 2 + 1.1 * 188 - 0.1), ElementsAre(1, 0));
  EXPECT_THAT(Extents(Units(true), {}, 2 + 1.1 * 68 + 0.1), ElementsAre(0, 0));
  EXPECT_THAT(Extents(Units(true), {}, 2 + 1.1 * 68 - 0.1), ElementsAre(0, kNotMeasured));
  EXPECT_THAT(Extents(Units(true), {}, 1), ElementsAre(0, kNotMeasured));  // the first unit is always measured
}

TEST(UnitChoiceTest, NothingGrowsWhileAQuestionMayStillFit) {
  const double without_reserve = 2 + 24 + 44;
  EXPECT_THAT(Extents(Units(true), {}, without_reserve + 0.1), ElementsAre(0, kNotMeasured));
  std::vector<LabUnit> units = {TwoSteps("a", {10, 11}, true), TwoSteps("b", {20, 40}, true)};
  EXPECT_THAT(Extents(units, {}, without_reserve + 0.1), ElementsAre(0, kNotMeasured));
  EXPECT_THAT(Extents(units, {}, without_reserve - 0.1), ElementsAre(1, kNotMeasured));
  units[1].has_question = false;  // the growth of `a` comes first
  EXPECT_THAT(Extents(units, {}, without_reserve + 0.1), ElementsAre(1, kNotMeasured));
}

// Pages take 2 s: the extents of `b` take 44, 84 and 86 s, those of `c` 44 and 84 s.
TEST(UnitChoiceTest, UnitsAfterTheFirstGrowInRounds) {
  const std::vector<LabUnit> units = {TwoSteps("a", {10, 50}, true), TwoSteps("b", {20, 40, 41}, true),
                                      TwoSteps("c", {20, 40}, true)};
  EXPECT_THAT(Extents(units, {}, 2 + 1.1 * 274 + 0.1), ElementsAre(1, 2, 1));
  EXPECT_THAT(Extents(units, {}, 2 + 1.1 * 274 - 0.1), ElementsAre(1, 1, 1));
  // The second extent of `c` would fit without the reserve, so that the third one of `b` waits.
  EXPECT_THAT(Extents(units, {}, 2 + 272 + 0.1), ElementsAre(1, 1, 0));
  EXPECT_THAT(Extents(units, {}, 2 + 272 - 0.1), ElementsAre(1, 2, 0));
  LabProgress fast;
  fast.predicted_seconds = 10;
  fast.measured_seconds = 9.9;
  EXPECT_THAT(Extents(units, fast, 2 + 272 - 0.1), ElementsAre(1, 1, 0));
  EXPECT_THAT(Extents(units, fast, 2 + 0.99 * 272 - 0.1), ElementsAre(1, 2, 0));
}

TEST(UnitChoiceTest, ElapsedTimeAndAPaceAboveOneLeaveLess) {
  LabProgress progress;
  progress.elapsed_seconds = 800;
  EXPECT_THAT(Extents(Units(true), progress, 1000), ElementsAre(1, 0));
  progress = {};
  progress.predicted_seconds = 10;
  progress.measured_seconds = 30;
  EXPECT_THAT(Extents(Units(true), progress, 2 + 1.1 * (3 * 60 + 8) + 0.1), ElementsAre(0, 0));
  EXPECT_THAT(Extents(Units(true), progress, 2 + 1.1 * (3 * 60 + 8) - 0.1), ElementsAre(0, kNotMeasured));
  progress.measured_seconds = 5;  // faster than predicted: predictions stay
  EXPECT_THAT(Extents(Units(true), progress, 2 + 1.1 * 68 - 0.1), ElementsAre(0, kNotMeasured));
  progress.measured_seconds = 30;
  progress.predicted_seconds = 1;  // too short for a pace
  EXPECT_THAT(Extents(Units(true), progress, 2 + 1.1 * 68 + 0.1), ElementsAre(0, 0));
}

TEST(UnitChoiceTest, LaterStepsShrinkIfTheUnitMay) {
  for (const bool may_shrink : {true, false}) {
    const std::vector<LabUnit> units = Units(may_shrink);
    LabProgress progress;
    Make(units[0].variants[1].steps[0], progress);
    const std::vector<UnitChoice> choices =
        ChooseUnits(units, progress, 2 + 1.1 * (12 + 44) + 0.1, Experiments::kFitting);
    EXPECT_EQ(choices[0].variant, may_shrink ? 0 : 1);
    EXPECT_EQ(choices[0].steps[0].seconds, 50);  // it exists and stays
    EXPECT_TRUE(choices[0].steps[0].is_made);
    EXPECT_EQ(choices[0].steps[1].seconds, may_shrink ? 10 : 50);
    EXPECT_EQ(choices[1].variant, may_shrink ? 0 : kNotMeasured);
  }
}

TEST(UnitChoiceTest, AMadeExtentDoesNotGrow) {
  const std::vector<LabUnit> units = Units(true);
  LabProgress progress;
  Make(units[0].variants[0].steps[0], progress);
  EXPECT_THAT(Extents(units, progress, 1000), ElementsAre(0, 1));
}

TEST(UnitChoiceTest, WhatExistsIsKeptWithoutAnyTime) {
  const std::vector<LabUnit> units = Units(true);
  LabProgress progress;
  for (const LabUnit& unit : units) {
    for (const LabStep& step : unit.variants[1].steps) {
      Make(step, progress);
    }
  }
  EXPECT_THAT(Extents(units, progress, 0), ElementsAre(1, 1));
  progress.made.erase("b2");
  const std::vector<UnitChoice> choices = ChooseUnits(units, progress, 0, Experiments::kFitting);
  EXPECT_EQ(choices[1].variant, kNotMeasured);
  ASSERT_EQ(choices[1].steps.size(), 1u);
  EXPECT_EQ(choices[1].steps[0].record, "b1");
  ASSERT_EQ(choices[1].not_run.size(), 1u);
  EXPECT_EQ(choices[1].not_run[0].record, "b2");
}

TEST(UnitChoiceTest, AJournalKeepsTheExtentAndTakesTime) {
  const std::vector<LabUnit> units = Units(false);
  LabProgress progress;
  Make(units[1].variants[1].steps[0], progress);
  progress.made["b1"].is_complete = false;
  EXPECT_THAT(Extents(units, progress, 2 + 1.1 * (24 + 84) + 0.1), ElementsAre(0, 1));
  EXPECT_THAT(Extents(units, progress, 2 + 1.1 * (24 + 84) - 0.1), ElementsAre(0, kNotMeasured));
}

TEST(UnitChoiceTest, ARecordOfAnotherCommandIsNone) {
  const std::vector<LabUnit> units = Units(true);
  LabProgress progress;
  Make(units[0].variants[0].steps[0], progress);
  progress.made["a1"].command.push_back("--seed=2");
  EXPECT_THAT(Extents(units, progress, 1000), ElementsAre(1, 1));
}

}  // namespace
}  // namespace lockstep
