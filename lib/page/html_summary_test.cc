#include "lib/page/html_summary.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

proto::Section SmallSection() {
  proto::Section section;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        warning: "A noisy <machine>."
        warning: "One seed."
        summary {
          scope: "1 to 4 GPUs."
          badge: "bf16"
          warning_chip { count: 2 worst: "A noisy machine." }
          lead: "Train with batch 512."
          answers: "1 of 3 questions answered, 1 partly"
          chip { question: "Q2" state: ANSWERED link: "card-Q2" }
          chip { question: "Q7" state: PARTLY link: "card-Q7" }
          chip { question: "B1" state: NO_ANSWER link: "missing" }
          trust {
            title: "Can the numbers be trusted?"
            verdict: "Mostly."
            item { state: CHECK_OK text: "Sums agree." }
            item { state: CHECK_WARNING text: "One seed." }
          }
          missing { title: "What is missing?" verdict: "Nothing." }
          card {
            question: "Q2"
            asked: "How well does training scale?"
            verdict: "Almost ideally."
            state: ANSWERED
            headline {
              number: "3.96"
              unit: "times as fast"
              base: "on 4 H100,"
              base: "99 % of ideal"
              exact: "3.962 [3.9, 4.1]"
            }
            support: "First."
            support: "Second."
            spark { kind: SHARE value: 0.5 label: "a" description: "share" }
            link { text: "Table 1" target: "table-1" }
          }
          card { question: "Q7" asked: "Enough?" verdict: "Not decided." state: PARTLY }
          card {
            question: "B1"
            asked: "Which range?"
            state: NO_ANSWER
            absent_reason: "No record."
            command: "train_sweep --input=a.rec && quantize --input=a.rec"
          }
        })pb",
      &section));
  return section;
}

std::string Head() {
  std::string out;
  AppendPageHead("ResNet-18 on <H100>", SmallSection(), out);
  return out;
}

std::string Summary() {
  std::string out;
  AppendSummary(SmallSection().summary(), out);
  return out;
}

TEST(HtmlSummaryTest, OneChipOpensTheWarnings) {
  EXPECT_THAT(Head(), AllOf(HasSubstr("<h1>ResNet-18 on &lt;H100&gt;</h1>"), HasSubstr("<li>bf16</li>"),
                            HasSubstr("<b>2 warnings.</b> Worst: A noisy machine.</summary>"),
                            HasSubstr("<li class=\"warning\">A noisy &lt;machine&gt;.</li>")));
}

TEST(HtmlSummaryTest, APageWithoutSummaryHasItsTitleOnly) {
  std::string out;
  AppendPageHead("A class", proto::Section(), out);
  EXPECT_THAT(out, AllOf(HasSubstr("<h1>A class</h1>"), Not(HasSubstr("<details")), Not(HasSubstr("Lockstep lab"))));
}

TEST(HtmlSummaryTest, TheStateOfAQuestionIsAWordAndAClass) {
  EXPECT_THAT(
      Summary(),
      AllOf(HasSubstr("<a class=\"answered\" href=\"#card-Q2\">Q2<span class=\"hidden\">: answered</span></a>"),
            HasSubstr("<a class=\"partly\" href=\"#card-Q7\">"), HasSubstr("<a class=\"none\" href=\"#missing\">"),
            HasSubstr("<li class=\"count\">1 of 3 questions answered, 1 partly</li>\n</ul>"),
            HasSubstr("<span class=\"state\">partly</span>")));
}

TEST(HtmlSummaryTest, ChecklistsShowTheStateOfEachItem) {
  EXPECT_THAT(Summary(),
              AllOf(HasSubstr("<li class=\"ok\"><span class=\"hidden\">ok: </span>Sums agree.</li>"),
                    HasSubstr("<li class=\"warn\">"), HasSubstr("id=\"missing\"><h3>What is missing?</h3>")));
}

TEST(HtmlSummaryTest, TheFirstWordOfTheUnitIsNextToTheNumber) {
  EXPECT_THAT(Summary(), HasSubstr("<b title=\"3.962 [3.9, 4.1]\">3.96</b><span class=\"unit\">times</span> <span "
                                   "class=\"base\">as fast on 4 H100, 99 % of ideal</span></p><svg class=\"spark\""));
}

TEST(HtmlSummaryTest, ACardHasSupportAndLinks) {
  EXPECT_THAT(Summary(), AllOf(HasSubstr("<p class=\"support\">First. Second.</p>"),
                               HasSubstr("<a href=\"#table-1\">Table 1</a>"), HasSubstr("id=\"card-Q2\"")));
}

TEST(HtmlSummaryTest, AnUnansweredCardHasItsCommands) {
  EXPECT_THAT(Summary(), AllOf(HasSubstr("class=\"card question-card open\""), HasSubstr("No answer yet."),
                               HasSubstr("<span>--input=a.rec</span> &amp;&amp;\n<span>quantize</span>")));
}

}  // namespace
}  // namespace lockstep
