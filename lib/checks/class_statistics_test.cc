#include "lib/checks/class_statistics.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ClassStatisticsTest, QuartilesAreInterpolated) {
  const Quartiles four = QuartilesOf({4, 1, 3, 2});  // numpy.quantile([1, 2, 3, 4], [.25, .5, .75])
  EXPECT_DOUBLE_EQ(four.first, 1.75);
  EXPECT_DOUBLE_EQ(four.median, 2.5);
  EXPECT_DOUBLE_EQ(four.third, 3.25);
  const Quartiles one = QuartilesOf({7});
  EXPECT_EQ(one.first, 7);
  EXPECT_EQ(one.third, 7);
}

TEST(ClassStatisticsTest, SpeedupsOfDifferentDevicesAreNotMixed) {
  std::vector<ClassStudent> students(3);
  students[0].best_speedup = {1.5, 2};
  students[1].best_speedup = {1.9, 2};
  students[2].best_speedup = {3.5, 4};
  const proto::Table table = FiguresTable(students);
  ASSERT_EQ(table.row_size(), 3);  // answered questions, 2 and 4 devices; nobody has timed an epoch
  EXPECT_EQ(table.row(1).cell(0).text(), "best speed-up, on 2 devices");
  EXPECT_EQ(table.row(1).cell(1).text(), "2");
  EXPECT_EQ(table.row(1).cell(4).text(), "1.7");
  EXPECT_EQ(table.row(2).cell(4).text(), "3.5");
}

TEST(ClassStatisticsTest, AnswersAreCounted) {
  std::vector<ClassStudent> students(3);
  students[0].answered = {"Q1", "B2"};
  students[1].answered = {"Q1"};
  students[1].partly = {"Q2"};
  const proto::Table table = AnsweredTable(students);
  ASSERT_EQ(table.row_size(), 12);
  EXPECT_EQ(table.row(0).cell(0).text(), "Q1");
  EXPECT_EQ(table.row(0).cell(2).text(), "2 of 3");
  EXPECT_EQ(table.row(1).cell(2).text(), "0 of 3, 1 partly");
}

}  // namespace
}  // namespace lockstep
