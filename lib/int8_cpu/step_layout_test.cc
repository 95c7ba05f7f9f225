#include "lib/int8_cpu/step_layout.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// A 3 x 3 kernel.
PackedShape ShapeOf(uint32_t channels) {
  PackedShape shape;
  shape.rows = shape.row_columns = 3;
  shape.column_terms = channels;
  return shape;
}

TEST(StepLayoutTest, OnePackingServesAllColumnsOfWholeSteps) {
  StepLayout layout(ShapeOf(8), /*depth=*/4);
  layout.Add({0, 3});
  layout.Add({1, 3});
  EXPECT_TRUE(layout.SharesColumns());
  EXPECT_EQ(layout.TapSteps(), 2u);
  EXPECT_EQ(layout.Packings().size(), 1u);
  EXPECT_EQ(layout.Steps(), 3u * 6);
}

TEST(StepLayoutTest, RunsSkipTapsThatAreNotReal) {
  StepLayout layout(ShapeOf(8), /*depth=*/4);
  layout.Add({0, 3});
  const std::vector<TapRun> runs = layout.Runs({{1, 3}, {1, 3}, {}}, /*input_row=*/100);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].input, 0u);
  EXPECT_EQ(runs[0].weights, 6u + 2);  // the second row, without its first tap
  EXPECT_EQ(runs[0].steps, 4u);
  EXPECT_EQ(runs[1].input, 100u);
  EXPECT_EQ(runs[1].weights, 12u + 2);
  EXPECT_EQ(runs[1].steps, 4u);
}

TEST(StepLayoutTest, RangesOfColumnsThatEndWithinAStepHaveTheirOwnPacking) {
  StepLayout layout(ShapeOf(3), /*depth=*/4);
  layout.Add({0, 3});
  layout.Add({1, 3});
  layout.Add({0, 3});
  EXPECT_FALSE(layout.SharesColumns());
  EXPECT_EQ(layout.Packings().size(), 2u);
  EXPECT_EQ(layout.RowSteps({0, 3}), 3u);
  EXPECT_EQ(layout.RowSteps({1, 3}), 2u);
  EXPECT_EQ(layout.FirstStep({1, 3}), 9u);
  EXPECT_EQ(layout.Steps(), 9u + 6);
  EXPECT_EQ(layout.Runs({{2, 3}, {1, 3}, {}}, 100)[0].weights, 9u + 2 * 2);
}

}  // namespace
}  // namespace lockstep
