#include "lib/report/verdict.h"

#include <gtest/gtest.h>

#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {
namespace {

void AddClaim(const char* question, const char* text, proto::Section& section) {
  proto::Claim& claim = *section.add_claim();
  claim.set_question(question);
  claim.set_text(text);
}

TEST(VerdictTextTest, CountsAQuestionOnceHoweverManySentencesItHas) {
  std::vector<proto::Section> sections(2);
  AddClaim("Q1", "a", sections[0]);
  AddClaim("Q1", "b", sections[0]);
  AddClaim("Q2", "", sections[1]);
  AddClaim("", "of no question", sections[1]);
  sections[0].add_warning("w");
  sections[1].add_plot();
  sections[1].add_plot();
  EXPECT_EQ(CountPlots(sections), 2u);
  EXPECT_EQ(VerdictText(sections, 2), "1 of the lab's 12 questions answered, 2 plots, 1 warning");
  EXPECT_EQ(VerdictText({}, 0), "0 of the lab's 12 questions answered, 0 plots, 0 warnings");
}

TEST(VerdictTextTest, CountsThePlotsThatWereDrawn) {
  std::vector<proto::Section> sections(1);
  sections[0].add_plot();
  EXPECT_EQ(VerdictText(sections, 0), "0 of the lab's 12 questions answered, 0 of 1 plot drawn, 0 warnings");
  sections[0].add_plot();
  EXPECT_EQ(VerdictText(sections, 1), "0 of the lab's 12 questions answered, 1 of 2 plots drawn, 0 warnings");
}

}  // namespace
}  // namespace lockstep
