#include "lib/plot/svg_element.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

proto::Plot Named(const std::string& id) {
  proto::Plot plot;
  plot.set_id(id);
  plot.set_title("T < U");
  plot.set_description("words");
  return plot;
}

constexpr char kDocument[] =
    "<svg viewBox=\"0 0 1 1\">\n<title>Gnuplot</title>\n<desc>Produced</desc>\n<g id=\"canvas\">\n<defs>\n"
    "\t<path id='gpPt0' d='M0'/>\n\t<path id='gpPt1' d='M1'/>\n\t<use xlink:href='#gpPt1' id='gpPt2'/>\n"
    "\t<filter id='textbox'>\n\t</filter>\n</defs>\n<g fill=\"none\" color=\"black\">\n</g>\n"
    "<use xlink:href='#gpPt2' color='red'/>\n<path stroke='black'/>\n</g>\n</svg>";

TEST(SvgElementTest, IdsAndReferencesBeginWithThePlotsOwn) {
  const std::string svg = *SvgElement(kDocument, Named("p"));
  EXPECT_THAT(svg, HasSubstr("id=\"p-canvas\""));
  EXPECT_THAT(svg, HasSubstr("id='p-gpPt1'"));
  EXPECT_THAT(svg, HasSubstr("href='#p-gpPt1' id='p-gpPt2'"));
  EXPECT_THAT(svg, HasSubstr("stroke='currentColor'"));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"T &lt; U. words\">\n<title>T &lt; U</title>\n<desc>words</desc>"));
}

TEST(SvgElementTest, WhatNothingUsesIsLeftOut) {
  const std::string svg = *SvgElement(kDocument, Named("p"));
  EXPECT_THAT(svg, Not(HasSubstr("gpPt0")));
  EXPECT_THAT(svg, Not(HasSubstr("filter")));
  EXPECT_THAT(svg, Not(HasSubstr("<g fill")));
}

TEST(SvgElementTest, SeveralDocumentsAreDistinguished) {
  EXPECT_THAT(SplitSvgs("<?xml?>\n<svg a></svg>\n\n<?xml?><svg b></svg>\n<svg cut"),
              ElementsAre("<svg a></svg>", "<svg b></svg>"));
}

TEST(SvgElementTest, AnotherTextIsNoDrawing) {
  EXPECT_THAT(SvgElement("hello", Named("p")), StatusIs(absl::StatusCode::kInternal, HasSubstr("no plot")));
}

TEST(SvgElementTest, AFileOfItsOwnHasAGroundThatFollowsTheReader) {
  const std::string file = StandaloneSvg("<svg><title>t</title><desc>d</desc><g/></svg>");
  EXPECT_THAT(file, HasSubstr("<rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/><g/></svg>"));
  EXPECT_THAT(file, HasSubstr("@media (prefers-color-scheme: dark)"));
}

}  // namespace
}  // namespace lockstep
