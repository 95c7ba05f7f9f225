// All renderers with one small section: provenance marks, blank cells, footnotes, escaping.
#include "lib/page/render.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/page/html.h"
#include "lib/page/latex.h"
#include "lib/page/markdown.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns a section with one row of every kind of cell, and names that need escaping.
proto::Section SmallSection() {
  proto::Section section;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        id: "scaling"
        title: "Speed-up & more"
        warning: "SYNTHETIC <images>"
        claim {
          question: "Q1"
          asked: "How fast?"
          text: "Line 1 <x>\nline 2"
          source: [ "sweep.point.a", "sweep.point.b" ]
        }
        claim { question: "Q4" asked: "Large batch?" absent_reason: "not measured" }
        table {
          caption: "Table 1 of <A&B>"
          column: [ "devices", "time, s", "speed-up" ]
          column_group { columns: 1 }
          column_group { title: "batch 32" columns: 2 }
          row {
            cell { text: "GPU <A&B>|x" }
            cell { text: "1.50" provenance: MEASURED method: "by \"clock\"" }
            cell { absent_reason: "no run of 1 x 64" }
          }
          row {
            cell { text: "2" }
            cell { text: "-0.1" provenance: DERIVED note: "negative" }
            cell { absent_reason: "no run of 1 x 64" }
          }
          note: "a note"
        }
        table { caption: "Table 2" absent_reason: "no record" }
        plot { id: "speedup" title: "The plot" description: "A line" })pb",
      &section));
  return section;
}

DrawnPlots Drawn() { return {{"speedup", {"<svg>picture</svg>", "report.speedup.svg", ""}}}; }
DrawnPlots NotDrawn() { return {{"speedup", {"", "", "gnuplot is not installed"}}}; }

// Returns a section with one plot that is always shown, and two plots under a common heading.
std::vector<proto::Section> WithGroup() {
  proto::Section section = SmallSection();
  for (const char* id : {"a", "b"}) {
    proto::Plot& plot = *section.add_plot();
    plot.set_id(id);
    plot.set_title(absl::StrCat("Plot ", id));
    plot.set_group("Many <plots>");
  }
  return {section};
}

std::string Html(const DrawnPlots& plots = Drawn()) { return RenderHtml("On <A&B>", {SmallSection()}, plots); }
std::string Markdown(const DrawnPlots& plots = Drawn()) { return RenderMarkdown("On <A&B>", {SmallSection()}, plots); }

TEST(RenderTest, PlotsOfAGroupStandBehindOneHeading) {
  const std::string html = RenderHtml("", WithGroup(), {});
  const size_t summary = html.find("Many &lt;plots&gt;</span></summary>");
  ASSERT_NE(summary, std::string::npos);
  EXPECT_LT(html.find("The plot"), summary);
  EXPECT_GT(html.find("Plot a"), summary);
  EXPECT_LT(html.find("Plot b"), html.find("</details>", summary));
  EXPECT_EQ(html.find("Many &lt;plots", summary + 1), std::string::npos);
  EXPECT_THAT(RenderMarkdown("", WithGroup(), {}), HasSubstr("\n### Many"));
}

TEST(FootnotesTest, AReasonGivenTwiceIsOneNote) {
  const proto::Section section = SmallSection();
  const Footnotes notes(section.table(0));
  EXPECT_THAT(notes.texts(), ElementsAre("no run of 1 x 64", "negative"));
  EXPECT_EQ(notes.NumberOf(section.table(0).row(1).cell(2)), 1);
  EXPECT_EQ(notes.NumberOf(section.table(0).row(1).cell(1)), 2);
  EXPECT_EQ(notes.NumberOf(section.table(0).row(0).cell(0)), 0);
}

TEST(CondensedSourcesTest, TheSameBeginningIsPrintedOnce) {
  EXPECT_THAT(CondensedSources(SmallSection().claim(0)), ElementsAre("sweep.point.{a, b}"));
}

TEST(IsNumericTest, NumbersAndBlanksStandToTheRight) {
  const proto::Section section = SmallSection();
  EXPECT_FALSE(IsNumeric(section.table(0), 0));
  EXPECT_TRUE(IsNumeric(section.table(0), 1));
  EXPECT_TRUE(IsNumeric(section.table(0), 2));
}

TEST(RenderTest, AReferenceIsALineAfterTheText) {
  proto::Section section = SmallSection();
  proto::Claim& claim = *section.mutable_claim(0);
  EXPECT_EQ(TextWithReferences(claim), "Line 1 <x>\nline 2");
  proto::PartReference& reference = *claim.add_reference();
  reference.set_what("The histograms are drawn");
  reference.set_title("Accuracy");
  EXPECT_EQ(TextWithReferences(claim), "Line 1 <x>\nline 2\nThe histograms are drawn under \"Accuracy\".");
  EXPECT_THAT(RenderHtml("", {section}, {}), HasSubstr("<p>The histograms are drawn under &quot;Accuracy&quot;.</p>"));
  EXPECT_THAT(RenderMarkdown("", {section}, {}), HasSubstr("The histograms are drawn under \"Accuracy\"."));
  EXPECT_THAT(RenderLatex({}, {section}, {}, "").document, HasSubstr("The histograms are drawn under "));
}

TEST(RenderTest, ACardWithoutACommandNamesNone) {
  proto::Section section;
  section.set_role(proto::CARD);
  proto::SummaryCard& card = *section.mutable_summary()->add_card();
  card.set_question("B1");
  card.set_asked("Which range?");
  card.set_absent_reason("The data set excludes it.");
  EXPECT_THAT(RenderMarkdown("", {section}, {}), HasSubstr("No answer yet. The data set excludes it.\n"));
  EXPECT_THAT(RenderMarkdown("", {section}, {}), Not(HasSubstr("\n    ")));
  EXPECT_THAT(RenderHtml("", {section}, {}), Not(HasSubstr("This command answers it")));
  const std::string latex = RenderLatex({}, {section}, {}, "").document;
  EXPECT_THAT(latex, AllOf(HasSubstr("The data set excludes it."), Not(HasSubstr("Command:"))));
  card.set_command("quantize --input=a.rec");
  EXPECT_THAT(RenderMarkdown("", {section}, {}), HasSubstr("\n\n    quantize --input=a.rec\n"));
  EXPECT_THAT(RenderHtml("", {section}, {}), HasSubstr("This command answers it"));
  EXPECT_THAT(RenderLatex({}, {section}, {}, "").document, HasSubstr("Command:"));
}

TEST(HtmlTest, NothingFromRecordsIsMarkup) {
  const std::string html = Html();
  EXPECT_THAT(html, AllOf(HasSubstr("GPU &lt;A&amp;B&gt;|x"), HasSubstr("SYNTHETIC &lt;images&gt;"),
                          HasSubstr("<title>On &lt;A&amp;B&gt;</title>"), Not(HasSubstr("<A&B>"))));
}

TEST(HtmlTest, ANumberShowsItsProvenanceAndMethod) {
  EXPECT_THAT(
      Html(),
      HasSubstr("<td class=\"number measured first\" title=\"measured: by &quot;clock&quot;\">1.50<sup class=\"mark\">m"
                "</sup></td>"));
}

TEST(HtmlTest, AColumnOfOneProvenanceIsMarkedAtItsHead) {
  proto::Section section = SmallSection();
  section.mutable_table(0)->mutable_row(1)->mutable_cell(1)->set_provenance(proto::MEASURED);
  section.mutable_table(0)->mutable_row(0)->mutable_cell(1)->set_exact("1.504");
  const std::string html = RenderHtml("", {section}, {});
  EXPECT_THAT(html, HasSubstr("time<sup class=\"mark\" title=\"measured\">m</sup><span class=\"unit\">s</span></th>"));
  EXPECT_THAT(html, HasSubstr("; all digits: 1.504\">1.50</td>"));
}

TEST(HtmlTest, DetailsAreClosedAndTheCardComesFirst) {
  proto::Section detail = SmallSection(), card = SmallSection();
  detail.set_role(proto::DETAIL);
  card.set_role(proto::CARD);
  card.set_id("card");
  card.mutable_claim(0)->set_link("answer-Q1");
  const std::string html = RenderHtml("", {card, detail}, {});
  EXPECT_THAT(html, AllOf(HasSubstr("<details class=\"box table\" id=\"scaling-table1\">"),
                          HasSubstr("<div class=\"box table\" id=\"card-table1\">"),
                          HasSubstr("<a href=\"#answer-Q1\""), HasSubstr("id=\"answer-Q1\">")));
  EXPECT_LT(html.find("class=\"answers\""), html.find("id=\"answer-Q1\""));
}

TEST(HtmlTest, ANoteIsPrintedOnce) {
  const proto::Section first = SmallSection();
  proto::Section second = first;
  second.set_id("again");
  second.mutable_table(0)->set_caption("Table 9");
  const std::string html = RenderHtml("", {first, second}, {});
  EXPECT_EQ(html.find("<li>a note</li>"), html.rfind("<li>a note</li>"));
  EXPECT_THAT(html, HasSubstr("Other notes: see &quot;Table 1 of &lt;A&amp;B&gt;&quot;."));
}

TEST(HtmlTest, ABlankLinksToItsReason) {
  EXPECT_THAT(
      Html(),
      AllOf(HasSubstr("<td class=\"absent number\" title=\"no run of 1 x 64\">–<sup><a href=\"#scaling-table1-note1\""),
            HasSubstr("<li id=\"scaling-table1-note1\">no run of 1 x 64</li>")));
}

TEST(HtmlTest, IsOnePageWithoutScriptOrNetwork) {
  const std::string html = Html();
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<link")), Not(HasSubstr("@import")),
                          Not(HasSubstr("src="))));
  EXPECT_THAT(html, AllOf(HasSubstr("prefers-color-scheme: dark"), HasSubstr("@media print")));
}

TEST(HtmlTest, IsReadAloud) {
  EXPECT_THAT(Html(),
              AllOf(HasSubstr("<h3 id=\"scaling-table1-heading\">Table 1 of &lt;A&amp;B&gt;</h3>"),
                    HasSubstr("<table aria-labelledby=\"scaling-table1-heading\">"), HasSubstr("<th scope=\"col\""),
                    HasSubstr("<th scope=\"colgroup\""), HasSubstr("<th scope=\"row\""), HasSubstr("lang=\"en\"")));
}

TEST(HtmlTest, APlotStandsInThePageOrReportsWhyNot) {
  EXPECT_THAT(Html(), HasSubstr("<svg>picture</svg>"));
  EXPECT_THAT(Html(NotDrawn()), HasSubstr("gnuplot is not installed"));
}

TEST(HtmlTest, ATableWithoutRowsReportsWhy) { EXPECT_THAT(Html(), HasSubstr("Blank: no record")); }

TEST(HtmlTest, AClaimWithoutAnswerReportsWhy) { EXPECT_THAT(Html(), HasSubstr("No answer: not measured")); }

TEST(MarkdownTest, NothingFromRecordsIsMarkup) {
  EXPECT_THAT(Markdown(), AllOf(HasSubstr("| GPU &lt;A&amp;B&gt;\\|x |"), HasSubstr("# On &lt;A&amp;B&gt;")));
}

TEST(MarkdownTest, ANumberEndsInItsMark) {
  EXPECT_THAT(Markdown(), HasSubstr("| 1.50 ᵐ | –¹ |"));
  EXPECT_THAT(Markdown(), HasSubstr("| 2 | -0.1 ᵈ ² | –¹ |"));
}

TEST(MarkdownTest, AColumnOfOneProvenanceIsMarkedAtItsHead) {
  proto::Section section = SmallSection();
  section.mutable_table(0)->mutable_row(1)->mutable_cell(1)->set_provenance(proto::MEASURED);
  const std::string markdown = RenderMarkdown("", {section}, {});
  EXPECT_THAT(markdown, HasSubstr("| batch 32: time, s ᵐ |"));
  EXPECT_THAT(markdown, HasSubstr("| 1.50 | –¹ |"));
}

TEST(MarkdownTest, AQuestionIsBoldWithAndWithoutItsWords) {
  proto::Section section = SmallSection();
  EXPECT_THAT(RenderMarkdown("page", {section}, Drawn()), HasSubstr("\n**Q1. How fast?** Line 1"));
  section.mutable_claim(0)->clear_asked();
  EXPECT_THAT(RenderMarkdown("page", {section}, Drawn()), HasSubstr("\n**Q1.** Line 1"));
}

TEST(MarkdownTest, FootnotesStandBelowTheTable) {
  EXPECT_THAT(Markdown(), HasSubstr("- ¹ no run of 1 x 64\n- ² negative\n- a note\n"));
}

TEST(MarkdownTest, AGroupGoesBeforeTheNamesOfItsColumns) {
  EXPECT_THAT(Markdown(), HasSubstr("| devices | batch 32: time, s | batch 32: speed-up |\n| --- | ---: | ---: |\n"));
}

TEST(MarkdownTest, ATableFollowsAnEmptyLine) { EXPECT_THAT(Markdown(), ContainsRegex("\n\n\\| devices")); }

TEST(MarkdownTest, APlotIsAFileOrReportsWhyNot) {
  EXPECT_THAT(Markdown(), HasSubstr("](report.speedup.svg)"));
  EXPECT_THAT(Markdown(NotDrawn()), HasSubstr("gnuplot is not installed"));
}

TEST(MarkdownTest, WarningsAndBlanksAreLoud) {
  EXPECT_THAT(Markdown(), AllOf(HasSubstr("> **Warning.** SYNTHETIC"), HasSubstr("Blank: no record"),
                                HasSubstr("*No answer:* not measured")));
}

}  // namespace
}  // namespace lockstep
