#include "lib/plot/svg_series.h"

#include <set>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plot));
  return plot;
}

TEST(SvgSeriesTest, TwentyMarkersDifferAndTenOfThemWithoutColour) {
  proto::Plot plot;
  std::set<std::string> markers, shapes;
  for (int i = 0; i < 20; ++i) {
    plot.add_series();
    SvgWriter out;
    DrawMarker(plot, i, 0, 0, out);
    std::string marker = out.Element(1, 1, "", "");
    EXPECT_TRUE(markers.insert(marker).second) << i;
    const size_t colour = marker.find(" " + SeriesClass('c', i));
    ASSERT_NE(colour, std::string::npos);
    shapes.insert(marker.erase(colour, 3));
  }
  EXPECT_EQ(shapes.size(), 10u);
}

TEST(SvgSeriesTest, AModelledSeriesIsHollowAndAReferenceIsTheBaseLine) {
  const proto::Plot plot = PlotOf("series { provenance: MODELLED } series { reference: true } series {}");
  SvgWriter out;
  DrawMarker(plot, 0, 0, 0, out);
  EXPECT_NE(out.Element(1, 1, "", "").find("class=\"m c1 hollow\""), std::string::npos);
  EXPECT_EQ(LineClasses(plot, 1), "base");
  EXPECT_EQ(LineClasses(plot, 2), "line k3 d3");
}

TEST(SvgSeriesTest, ValuesHaveFourDigits) {
  EXPECT_EQ(ValueText(0.0123456), "0.01235");
  EXPECT_EQ(ValueText(98.4), "98.4");
  EXPECT_EQ(ValueText(1234.56), "1,235");
  EXPECT_EQ(ValueText(12500.4), "12,500");
  EXPECT_EQ(ValueText(-0.0), "0");
  EXPECT_EQ(ValueText(2e9), "2e+09");
}

TEST(SvgSeriesTest, TheTitleHasSeriesPlaceAndInterval) {
  const proto::Plot lines = PlotOf(
      "x_label: 'batch' y_label: 's' series { label: 'fp32' x: [32, 64] y: [4, 2] y_low: [3.9, 2] y_high: [4.1, 2] }");
  EXPECT_EQ(PointTitle(lines, lines.series(0), 0), "fp32\nbatch: 32\ns: 4 (3.9 to 4.1)");
  EXPECT_EQ(PointTitle(lines, lines.series(0), 1), "fp32\nbatch: 64\ns: 2");
  const proto::Plot named = PlotOf("tick: ['2 x 32'] y_label: '%' series { x: 0 y: 97.5 }");
  EXPECT_EQ(PointTitle(named, named.series(0), 0), "2 x 32\n%: 97.5");
}

}  // namespace
}  // namespace lockstep
