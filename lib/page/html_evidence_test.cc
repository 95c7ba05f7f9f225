#include "lib/page/html_evidence.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void AddClaim(const std::string& question, const std::string& asked, const std::string& text, proto::Section& section) {
  proto::Claim& claim = *section.add_claim();
  claim.set_question(question);
  claim.set_asked(asked);
  claim.set_text(text);
}

std::string Html(const proto::Section& section) {
  std::string out;
  AppendEvidence(section, out);
  return out;
}

TEST(HtmlEvidenceTest, ClaimsOfOneQuestionAreInOneBox) {
  proto::Section section;
  AddClaim("Q1", "How fast?", "one\ntwo", section);
  AddClaim("Q1", "How large?", "three", section);
  AddClaim("Q2", "Does it scale?", "four", section);
  const std::string html = Html(section);
  EXPECT_THAT(html, AllOf(HasSubstr("id=\"answer-Q1\">\n<p>one</p>\n<p>two</p>\n<p class=\"asked\">How large?</p>"),
                          HasSubstr("<span class=\"question\">Q2</span> Does it scale?")));
  EXPECT_EQ(html.find("answer-Q1"), html.rfind("answer-Q1"));
}

TEST(HtmlEvidenceTest, SourcesAndReasons) {
  proto::Section section;
  AddClaim("Q1", "", "text", section);
  section.mutable_claim(0)->add_source("sweep.a");
  section.mutable_claim(0)->add_source("sweep.b");
  section.add_claim()->set_absent_reason("no record");
  EXPECT_THAT(Html(section), AllOf(HasSubstr("From <code>sweep.{a, b}</code>"), HasSubstr("No answer: no record.")));
}

TEST(HtmlEvidenceTest, AClaimWithoutAQuestionIsOpen) {
  proto::Section section;
  AddClaim("", "", "a < b", section);
  EXPECT_THAT(Html(section), AllOf(HasSubstr("<p>a &lt; b</p>"), Not(HasSubstr("<details"))));
}

// "and 4 more more" was on a page.
TEST(HtmlEvidenceTest, TheLinkOfAVerdictDoesNotContinueItsText) {
  proto::Section section;
  proto::Claim& claim = *section.add_claim();
  claim.set_question("Q1");
  claim.set_text("32, 64 and 4 more");
  claim.set_link("answer-Q1");
  std::string html;
  AppendVerdicts(section, html);
  EXPECT_THAT(html, HasSubstr("and 4 more <a href=\"#answer-Q1\" aria-label=\"details on Q1\">details</a></li>"));
}

TEST(HtmlEvidenceTest, ManyWarningsAreInABox) {
  proto::Section section;
  for (int i = 0; i < 3; ++i) {
    section.add_warning("noise");
  }
  std::string three, four;
  AppendWarnings(section, three);
  EXPECT_THAT(three, Not(HasSubstr("<details")));
  section.add_warning("noise");
  AppendWarnings(section, four);
  EXPECT_THAT(four, HasSubstr("<summary>2 more warnings</summary>"));
}

}  // namespace
}  // namespace lockstep
