#include "lib/plot/row_layout.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plot));
  return plot;
}

RowSpace Space() {
  RowSpace space;
  space.row_height = 30;
  space.below = 20;
  space.value_width = 50;
  return space;
}

TEST(RowLayoutTest, RowsAreBelowEachOtherInTheGivenOrder) {
  const RowLayout layout = LayOutRows(PlotOf("tick: ['one', 'two'] series {}"), {1, 0}, Space());
  ASSERT_THAT(layout.rows, SizeIs(2));
  EXPECT_EQ(layout.rows[0].tick, 1);
  EXPECT_THAT(layout.rows[0].lines, ElementsAre("two"));
  EXPECT_EQ(layout.rows[1].y - layout.rows[0].y, 30);
  EXPECT_EQ(layout.height, layout.bottom + 20);
  EXPECT_EQ(layout.right, kPlotWidth - kPlotEdge - 50);
  EXPECT_THAT(layout.legend, IsEmpty());  // one series
}

TEST(RowLayoutTest, ALongNameIsBrokenAndItsRowIsHigher) {
  const RowLayout layout =
      LayOutRows(PlotOf("tick: ['8192, clipping and ghost batch norm with warm-up', 'b'] series {}"), {0, 1}, Space());
  EXPECT_THAT(layout.rows[0].lines, SizeIs(2));
  EXPECT_EQ(layout.bottom - layout.top, 60 + kLabelSpacing);
}

TEST(RowLayoutTest, EntriesOfTheLegendThatDoNotFitAreInTheNextLine) {
  const RowLayout layout = LayOutRows(PlotOf("tick: ['a'] series { label: 'computing: s_1(B) / N' } "
                                             "series { label: 'all-reduce exposed, by events' } "
                                             "series { label: 'the rest of s_N(B)' }"),
                                      {0}, Space());
  ASSERT_THAT(layout.legend, SizeIs(3));
  EXPECT_EQ(layout.legend[0].x, kPlotEdge);
  EXPECT_EQ(layout.legend[2].x, kPlotEdge);
  EXPECT_GT(layout.legend[2].y, layout.legend[0].y);
  EXPECT_GT(layout.top, layout.legend[2].y);
}

TEST(RowLayoutTest, RanksGoDownFromTheLargestValue) {
  const proto::Plot plot = PlotOf("tick: ['a', 'b', 'c', 'd'] series { x: [0, 1, 3] y: [21, 69, 43] }");
  EXPECT_THAT(RankedTicks(plot), ElementsAre(1, 3, 0, 2));  // c has no value
  EXPECT_EQ(PointAt(plot.series(0), 3), 2);
  EXPECT_EQ(PointAt(plot.series(0), 2), -1);
}

}  // namespace
}  // namespace lockstep
