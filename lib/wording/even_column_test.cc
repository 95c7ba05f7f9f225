#include "lib/wording/even_column.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(const std::vector<EvenCell>& cells, IntervalText intervals = IntervalText::kShown) {
  std::vector<std::string> texts;
  for (const proto::Cell& cell : EvenColumn(cells, intervals)) {
    texts.push_back(cell.text());
  }
  return texts;
}

EvenCell Number(double value, double low, double high) { return {proto::Cell(), true, value, low, high}; }

// Half the widths are 0.01 and 0.09: two digits of the first are three decimals.
TEST(EvenColumnTest, TheNarrowestIntervalSetsTheDecimals) {
  EXPECT_THAT(Texts({Number(3.9176, 3.9, 3.92), Number(3.97, 3.88, 4.06)}),
              ElementsAre("3.918 [3.900, 3.920]", "3.970 [3.880, 4.060]"));
  EXPECT_THAT(Texts({Number(3.97, 3.88, 4.06)}, IntervalText::kHidden), ElementsAre("3.970"));
  EXPECT_THAT(Texts({Number(101.54, 95, 110)}), ElementsAre("101.5 [95.0, 110.0]"));
}

TEST(EvenColumnTest, WithoutIntervalsTheSmallestValueHasThreeDigits) {
  EXPECT_THAT(Texts({Number(1.236, 1.236, 1.236), Number(197.5, 197.5, 197.5)}), ElementsAre("1.24", "197.50"));
  EXPECT_THAT(Texts({Number(12345.6, 12345.6, 12345.6)}), ElementsAre("12,346"));
}

TEST(EvenColumnTest, ThereAreAtMostThreeDecimals) {
  EXPECT_THAT(Texts({Number(1, 0.99999, 1.00001)}), ElementsAre("1.000 [1.000, 1.000]"));
}

TEST(EvenColumnTest, LabelsAndBlanksStay) {
  EXPECT_THAT(Texts({{LabelCell("base")}, {AbsentCell("not run")}, Number(2, 2, 2)}), ElementsAre("base", "", "2.00"));
  EXPECT_THAT(Texts({}), ElementsAre());
}

}  // namespace
}  // namespace lockstep
