#include "lib/page/html_figures.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

proto::Section Plots(int count) {
  proto::Section section;
  for (int i = 0; i < count; ++i) {
    proto::Plot& plot = *section.add_plot();
    plot.set_id(absl::StrCat("p", i));
    plot.set_title("Efficiency");
    plot.set_description("Ticks & marks");
  }
  return section;
}

std::string Html(const proto::Section& section, const Findings& findings = {}) {
  std::string out;
  AppendFigures(section, {{"p0", {"<svg>drawn</svg>", "", ""}}, {"p1", {"", "", "no gnuplot"}}}, findings, out);
  return out;
}

TEST(HtmlFiguresTest, AFigureHasTitleDrawingAndCaption) {
  EXPECT_THAT(Html(Plots(2)), AllOf(HasSubstr("id=\"plot-p0\"><h3>Efficiency</h3>\n<svg>drawn</svg>"),
                                    HasSubstr("<figcaption>Ticks &amp; marks</figcaption>"), HasSubstr("no gnuplot.")));
}

TEST(HtmlFiguresTest, TheVerdictThatLinksToAFigureIsItsFinding) {
  proto::Summary summary;
  proto::SummaryCard& card = *summary.add_card();
  card.set_question("Q2");
  card.set_verdict("Almost ideally.");
  card.add_link()->set_target("plot-p0");
  const std::string html = Html(Plots(2), FindingsOf(summary));
  EXPECT_THAT(html, HasSubstr("<span class=\"question\">Q2</span> Almost ideally."));
  EXPECT_EQ(html.find("Almost"), html.rfind("Almost"));
}

// Two columns are full with 2, 4, 6 figures, three columns with 3 and 6.
TEST(HtmlFiguresTest, NoCellOfTheGridIsEmpty) {
  EXPECT_THAT(Html(Plots(1)), Not(HasSubstr("How to read")));
  EXPECT_THAT(Html(Plots(3)), HasSubstr("\"box figure odd by2\""));
  EXPECT_THAT(Html(Plots(4)), HasSubstr("\"box figure odd by3 span2\""));
  EXPECT_THAT(Html(Plots(5)), HasSubstr("\"box figure odd by2 by3\""));
  EXPECT_THAT(Html(Plots(6)), Not(HasSubstr("How to read")));
}

}  // namespace
}  // namespace lockstep
