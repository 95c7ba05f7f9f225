#include "lib/report/verdict.h"

#include <gtest/gtest.h>

#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {
namespace {

TEST(VerdictTextTest, HasTheAnswersOfTheSummary) {
  std::vector<proto::Section> sections(2);
  sections[0].mutable_summary()->set_answers("8 of 12 questions answered, 3 partly");
  sections[0].add_warning("w");
  sections[1].add_claim()->set_text("no answer of the summary");
  sections[1].add_plot();
  sections[1].add_plot();
  EXPECT_EQ(CountPlots(sections), 2u);
  EXPECT_EQ(VerdictText(sections, 2), "8 of 12 questions answered, 3 partly, 2 plots, 1 warning");
  EXPECT_EQ(VerdictText({}, 0), "0 plots, 0 warnings");
}

TEST(VerdictTextTest, CountsThePlotsThatWereDrawn) {
  std::vector<proto::Section> sections(1);
  sections[0].add_plot();
  EXPECT_EQ(VerdictText(sections, 0), "0 of 1 plot drawn, 0 warnings");
  sections[0].add_plot();
  EXPECT_EQ(VerdictText(sections, 1), "1 of 2 plots drawn, 0 warnings");
}

}  // namespace
}  // namespace lockstep
