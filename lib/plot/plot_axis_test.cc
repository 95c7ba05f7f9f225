#include "lib/plot/plot_axis.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::SizeIs;

std::vector<std::string> Labels(const AxisRequest& request) {
  std::vector<std::string> labels;
  for (const Tick& tick : MakeAxis(request).ticks) {
    labels.push_back(tick.label);
  }
  return labels;
}

AxisRequest Upwards(double low, double high) {
  AxisRequest request;
  request.low = low;
  request.high = high;
  request.length = 250;
  request.font_size = 14;
  request.horizontal = false;
  return request;
}

AxisRequest Sideways(double low, double high) {
  AxisRequest request = Upwards(low, high);
  request.length = 480;
  request.horizontal = true;
  return request;
}

AxisRequest Log(AxisRequest request) {
  request.log = true;
  return request;
}

TEST(PlotAxisTest, ALinearAxisHasRoundStepsAndEndsAtTicks) {
  AxisRequest request = Upwards(0.27, 0.44);
  EXPECT_THAT(Labels(request), ElementsAre("0.25", "0.3", "0.35", "0.4", "0.45"));
  request.from_zero = true;
  EXPECT_THAT(Labels(request), ElementsAre("0", "0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_EQ(MakeAxis(request).high, 0.5);
}

TEST(PlotAxisTest, NegativeNumbersAreInSight) {
  AxisRequest request = Upwards(-0.3, 1.1);
  request.from_zero = true;
  EXPECT_THAT(Labels(request), ElementsAre("-0.5", "0", "0.5", "1", "1.5"));
}

TEST(PlotAxisTest, WholeNumbersHaveWholeLabelsAndThreeOfThem) {
  AxisRequest request = Sideways(1, 2);
  request.whole = true;
  EXPECT_THAT(Labels(request), ElementsAre("0", "1", "2"));
  request.high = 4;
  EXPECT_THAT(Labels(request), ElementsAre("1", "2", "3", "4"));
}

TEST(PlotAxisTest, ALogarithmsTicksAreOneTwoAndFiveWhileTheyHaveRoom) {
  EXPECT_THAT(Labels(Log(Upwards(3, 30))), ElementsAre("5", "10", "20"));
  EXPECT_THAT(Labels(Log(Upwards(1, 9))), ElementsAre("1", "2", "5", "10"));
  EXPECT_THAT(Labels(Log(Upwards(1, 1e6))), ElementsAre("1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"));
}

TEST(PlotAxisTest, AShortLogarithmIsWidenedToThreeLabels) {
  const Axis axis = MakeAxis(Log(Upwards(2.9, 3.1)));
  EXPECT_THAT(axis.ticks, SizeIs(3));
  EXPECT_LE(axis.low, 2.9);
  EXPECT_GE(axis.high, 3.1);
}

TEST(PlotAxisTest, OccurringNumbersAreTicksAsFarAsTheyHaveRoom) {
  AxisRequest request = Log(Sideways(32, 2048));
  request.occurring = {32, 64, 128, 256, 512, 1024, 2048};
  EXPECT_THAT(Labels(request), ElementsAre("32", "64", "128", "256", "512", "1,024", "2,048"));
  request.length = 200;
  EXPECT_THAT(Labels(request), ElementsAre("32", "128", "512", "2,048"));
  request.length = 480;
  request.occurring = {32, 2048};
  EXPECT_THAT(Labels(request), ElementsAre("32", "2,048"));
}

TEST(PlotAxisTest, OnALinearAxisAllOccurringNumbersAreTicksOrNone) {
  AxisRequest request = Sideways(1, 8);
  request.occurring = {1, 2, 4, 8};
  EXPECT_THAT(Labels(request), ElementsAre("1", "2", "4", "8"));
  EXPECT_GT(MakeAxis(request).low, 0);  // no empty region from 0 to 1
  request.high = 200;
  request.occurring.clear();
  for (int epoch = 1; epoch <= 200; ++epoch) {
    request.occurring.push_back(epoch);
  }
  EXPECT_THAT(Labels(request), ElementsAre("0", "50", "100", "150", "200"));
  request.high = 1;
  request.occurring = {1};
  EXPECT_THAT(Labels(request), ElementsAre("1"));
}

// Checks for any request that there are three labels in order, which do not touch, and that the range includes the
// numbers.
void CheckAxis(const AxisRequest& request) {
  const Axis axis = MakeAxis(request);
  SCOPED_TRACE(::testing::Message() << request.low << " to " << request.high << (request.log ? ", log" : ""));
  ASSERT_THAT(axis.ticks.size(), Ge(3u));
  EXPECT_LE(axis.low, request.low);
  EXPECT_GE(axis.high, request.high);
  for (size_t i = 1; i < axis.ticks.size(); ++i) {
    const double distance =
        (PlaceOnAxis(axis, axis.ticks[i].at) - PlaceOnAxis(axis, axis.ticks[i - 1].at)) * request.length;
    const double extent = request.horizontal ? (TextWidth(axis.ticks[i].label, request.font_size) +
                                                TextWidth(axis.ticks[i - 1].label, request.font_size)) /
                                                   2
                                             : request.font_size;
    EXPECT_GT(distance, extent) << axis.ticks[i - 1].label << " and " << axis.ticks[i].label;
  }
}

TEST(PlotAxisTest, EveryRangeHasThreeLabelsThatDoNotTouch) {
  for (double low = 1e-6; low < 1e6; low *= 3.7) {
    for (double factor = 1.0001; factor < 1e9; factor *= 1.9) {
      for (const bool log : {false, true}) {
        for (const bool horizontal : {false, true}) {
          AxisRequest request = horizontal ? Sideways(low, low * factor) : Upwards(low, low * factor);
          request.log = log;
          CheckAxis(request);
          request.from_zero = request.margin = true;
          CheckAxis(request);
        }
      }
    }
  }
}

TEST(PlotAxisTest, ARangeThatCannotBeDrawnIsOneToTen) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const AxisRequest& request : {Upwards(0, infinity), Upwards(std::nan(""), 1), Upwards(infinity, -infinity),
                                     Log(Upwards(0, 1)), Upwards(-1e300, 1e300)}) {
    const Axis axis = MakeAxis(request);
    EXPECT_LE(axis.low, 1);
    EXPECT_GE(axis.high, 10);
    EXPECT_LT(axis.high, 20);
  }
}

TEST(PlotAxisTest, OneNumberHasRoomAboutIt) {
  EXPECT_THAT(MakeAxis(Upwards(5, 5)).ticks, SizeIs(Ge(3)));
  EXPECT_THAT(MakeAxis(Upwards(0, 0)).ticks, SizeIs(Ge(3)));
  EXPECT_THAT(MakeAxis(Upwards(0, 5e-324)).ticks, SizeIs(Ge(3)));
  EXPECT_THAT(MakeAxis(Upwards(1, std::nextafter(1, 2))).ticks, SizeIs(Ge(3)));
}

TEST(PlotAxisTest, PlacesAreSharesOfTheLength) {
  Axis axis;
  axis.low = 1;
  axis.high = 100;
  EXPECT_THAT(PlaceOnAxis(axis, 100), DoubleNear(1, 1e-12));
  axis.log = true;
  EXPECT_THAT(PlaceOnAxis(axis, 10), DoubleNear(0.5, 1e-12));
}

TEST(PlotAxisTest, LabelsAreAsPeopleWriteNumbers) {
  EXPECT_EQ(TickLabel(0.05), "0.05");
  EXPECT_EQ(TickLabel(-0.0), "0");
  EXPECT_EQ(TickLabel(999), "999");
  EXPECT_EQ(TickLabel(32768), "32,768");
  EXPECT_EQ(TickLabel(-1000), "-1,000");
  EXPECT_EQ(TickLabel(-200000), "-200,000");
  EXPECT_EQ(TickLabel(1e8), "1e+08");
}

}  // namespace
}  // namespace lockstep
