#include "lib/plot/svg_writer.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SvgWriterTest, AnElementIsReadAloudAndHasNoIds) {
  SvgWriter out;
  out.Line(1, 2.25, 3, -4.04, "grid");
  const std::string svg = out.Element(460, 300, "T < U", "it's");
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 300\" class=\"plot\" "
                              "role=\"img\" aria-label=\"T &lt; U. it&#39;s\">\n<title>T &lt; U</title>\n<desc>"));
  EXPECT_THAT(svg, HasSubstr("<line x1=\"1\" y1=\"2.3\" x2=\"3\" y2=\"-4\" class=\"grid\"/>\n</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr(" id=")));
}

TEST(SvgWriterTest, PathsAreOpenOrClosed) {
  SvgWriter out;
  out.Path({{1, 2}, {3, 4.5}}, "line");
  out.Path({{1, 2}, {3, 4.5}}, "", SvgWriter::Ends::kClosed);
  out.Path({}, "none");
  const std::string svg = out.Element(1, 1, "", "");
  EXPECT_THAT(svg, HasSubstr("<path d=\"M1 2L3 4.5\" class=\"line\"/>\n<path d=\"M1 2L3 4.5Z\"/>\n</svg>"));
}

TEST(SvgWriterTest, PlacesThatNoDrawingHasAreZero) {
  SvgWriter out;
  out.Line(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e300, -0.0, "");
  EXPECT_THAT(out.Element(1, 1, "", ""), HasSubstr("<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"0\"/>"));
}

TEST(SvgWriterTest, TextsAreEscapedAndOnOneLine) {
  SvgWriter out;
  out.Text(5, 6, "a\n<b>\t\x1B]]>", "tick", SvgWriter::Anchor::kEnd);
  out.Open("1 & 2\nlines");
  out.Close();
  const std::string svg = out.Element(1, 1, "", "");
  EXPECT_THAT(svg,
              HasSubstr("<text x=\"5\" y=\"6\" class=\"tick\" text-anchor=\"end\">a &lt;b&gt; \\x1b]]&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr("<g><title>1 &amp; 2\nlines</title>\n</g>"));
}

TEST(SvgWriterTest, TurnedTextEndsAtItsPlace) {
  SvgWriter out;
  out.TurnedText(50, 60.5, "name", "tick");
  EXPECT_THAT(
      out.Element(1, 1, "", ""),
      HasSubstr("<text x=\"50\" y=\"60.5\" class=\"tick\" text-anchor=\"end\" transform=\"rotate(-90 50 60.5)\">"));
}

}  // namespace
}  // namespace lockstep
