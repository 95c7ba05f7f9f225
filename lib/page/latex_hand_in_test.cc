#include "lib/page/latex_hand_in.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<proto::Section> SmallReport() {
  std::vector<proto::Section> sections(3);
  const char* const texts[] = {
      R"pb(
        role: CARD
        claim { question: "Q1" text: "the verdict" }
        table {
          caption: "Table 1: time of an epoch"
          column: [ "devices", "time, s" ]
          row {
            cell { text: "1" }
            cell { text: "1.50" provenance: MEASURED note: "a remark" }
          }
          note: "a method"
        }
        plot { id: "speedup" title: "Speed-up" })pb",
      R"pb(
        claim { question: "Q1" asked: "How long?" text: "It takes 1.50 s." source: "sweep.point" }
        claim { question: "Q2" asked: "How well?" absent_reason: "no scale.rec" }
        claim { text: "a remark that answers no question" }
        plot { id: "a" title: "A" group: "closed" }
        plot { id: "b" title: "B" }
        plot { id: "split" title: "Split" }
        plot { id: "c" title: "C" }
        plot { id: "d" title: "D" })pb",
      R"pb(
        id: "records"
        table {
          caption: "The commands"
          column: [ "record", "command" ]
          row {
            cell { text: "sweep.rec" }
            cell { text: "train_sweep --output=sweep.rec" }
          }
          row {
            cell { text: "copy.rec" }
            cell { text: "train_sweep --output=sweep.rec" }
          }
        })pb"};
  for (size_t i = 0; i < sections.size(); ++i) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(texts[i], &sections[i]));
  }
  return sections;
}

std::string Render(const std::vector<proto::Section>& sections) {
  return RenderLatexHandIn({"A title_1", "A. Student & B. Student", "1 May 2026"}, sections, {});
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(LatexHandInTest, HasTitleAuthorAndDate) {
  EXPECT_THAT(Render(SmallReport()), AllOf(HasSubstr("A title\\_1\\par}\n{\\large A. Student \\& B. Student\\hfill{}1 "
                                                     "May 2026\\par}\n\\section{Answers}"),
                                           HasSubstr("\\end{document}\n")));
}

TEST(LatexHandInTest, AnswersAreParagraphsAndTheOthersALine) {
  EXPECT_THAT(Render(SmallReport()),
              AllOf(HasSubstr("\\par\\textbf{Q1. How long?} It takes 1.50 s.\\par\n\\par Not answered: Q2.\\par\n"),
                    Not(HasSubstr("the verdict")), Not(HasSubstr("no question")), Not(HasSubstr("sweep.point"))));
}

// Returns the small report with a summary: four questions, of which Q4 has no claim, and runs A, B and C.
std::vector<proto::Section> WithSummary() {
  std::vector<proto::Section> sections = SmallReport();
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        chip { question: "Q1" state: PARTLY }
        chip { question: "Q2" state: NO_ANSWER }
        chip { question: "Q3" state: ANSWERED }
        chip { question: "Q4" state: NO_ANSWER }
        run { letter: "A" tool: "train_sweep" network: "LeNet-5" what: "LeNet-5, 3 batches" file: "sweep.rec" }
        run {
          letter: "B"
          tool: "scale_run"
          network: "LeNet-5"
          what: "what is sent"
          machine: "2 x GPU"
          file: "sent.rec"
        }
        run { letter: "C" tool: "quantize" network: "LeNet-5" what: "LeNet-5 in int8" file: "quantized.rec" })pb",
      sections[0].mutable_summary()));
  return sections;
}

TEST(LatexHandInTest, AllQuestionsOfTheSummaryAreCounted) {
  std::vector<proto::Section> sections = WithSummary();
  EXPECT_THAT(Render(sections), HasSubstr("\\par Not answered: Q2,{} Q3,{} Q4. The numbers do not decide Q1.\\par\n"));
  sections[0].mutable_summary()->mutable_chip()->DeleteSubrange(2, 2);
  sections[1].mutable_claim(1)->set_text("Well.");
  EXPECT_THAT(Render(sections),
              HasSubstr("\\par All 2 questions have an answer. The numbers do not decide Q1.\\par\n"));
}

TEST(LatexHandInTest, TheWorstWarningsAreLimits) {
  std::vector<proto::Section> sections = WithSummary();
  EXPECT_THAT(Render(sections), HasSubstr("\\section{Limits}\n\\par No warning applies to the numbers.\\par\n"));
  for (int i = 1; i <= 7; ++i) {
    sections[0].mutable_summary()->add_limit(absl::StrCat("Limit ", i, "."));
  }
  EXPECT_THAT(Render(sections),
              AllOf(HasSubstr("\\section{Limits}\n\\par Limit 1.\\par\n"),
                    HasSubstr("\\par Limit 5.\\par\n\\par 2 more kinds of warnings are in the full report.\\par\n"),
                    Not(HasSubstr("Limit 6.")), Not(HasSubstr("No warning"))));
}

TEST(LatexHandInTest, RunsThatAreNamedAreListed) {
  std::vector<proto::Section> sections = WithSummary();
  EXPECT_THAT(Render(sections), Not(HasSubstr("tab:runs")));
  sections[0].mutable_plot(0)->set_title("Speed-up: run B");
  sections[0].mutable_plot(0)->add_run("B");
  EXPECT_THAT(Render(sections),
              AllOf(HasSubstr("\\par The runs are listed in Table~\\ref{tab:runs}.\\par\n"),
                    HasSubstr("\\setcounter{table}{3}\n"), HasSubstr("\\label{tab:runs}"),
                    HasSubstr("{}B & {}scale\\_run & {}LeNet-{}5: what is sent & {}2 x GPU & {} & {}sent.rec \\\\\n"),
                    Not(HasSubstr("{}A & ")), Not(HasSubstr("{}C & "))));
}

TEST(LatexHandInTest, TheRunOfAnAnswerOnInt8IsListed) {
  std::vector<proto::Section> sections = WithSummary();
  sections[1].mutable_claim(0)->clear_source();
  sections[1].mutable_claim(0)->add_source("quantized.network[name=lenet5].step[stage=INT8_WEIGHTS].correct");
  EXPECT_THAT(Render(sections),
              AllOf(HasSubstr("{}C & {}quantize & {}LeNet-{}5 in int8 & "), Not(HasSubstr("{}B & "))));
}

TEST(LatexHandInTest, TheParagraphsOfTheTablesAreShown) {
  std::vector<proto::Section> sections = WithSummary();
  sections[0].set_id("tables");
  sections[0].add_paragraph("The tables are of run A.");
  sections[0].add_run("A");
  EXPECT_THAT(Render(sections),
              AllOf(HasSubstr("\\section{Results}\n\\par The tables are of run A.\\par\n"), HasSubstr("{}A & ")));
}

TEST(LatexHandInTest, AnAnswerRefersToNoOtherPartOfTheReport) {
  std::vector<proto::Section> sections = SmallReport();
  proto::Claim& claim = *sections[1].mutable_claim(0);
  claim.set_text("It is 1.5.");
  proto::PartReference& reference = *claim.add_reference();
  reference.set_what("The histograms are drawn");
  reference.set_title("Accuracy in int8");
  EXPECT_THAT(Render(sections),
              AllOf(HasSubstr("\\textbf{Q1. How long?} It is 1.5.\\par\n"), Not(HasSubstr("The histograms"))));
}

TEST(LatexHandInTest, ALongAnswerEndsWithASentence) {
  std::vector<proto::Section> sections = SmallReport();
  sections[1].mutable_claim(0)->set_text(absl::StrCat("First.\nSecond. ", std::string(700, 'x'), "."));
  EXPECT_THAT(Render(sections), HasSubstr("\\textbf{Q1. How long?} First. Second.\\par\n"));
}

TEST(LatexHandInTest, LinesOfAnAnswerAreJoined) {
  std::vector<proto::Section> sections = SmallReport();
  sections[1].mutable_claim(0)->set_text("Of each network:\nlenet5 1.5\nresnet18 2.5");
  EXPECT_THAT(Render(sections), HasSubstr("Of each network: lenet5 1.5; resnet18 2.5\\par\n"));
}

TEST(LatexHandInTest, TablesHaveNumbersAndNoNotes) {
  EXPECT_THAT(Render(SmallReport()), AllOf(HasSubstr("\\setcounter{table}{0}\n"),
                                           HasSubstr("\\caption{time of an epoch}\n\\label{tab:table-1}"),
                                           Not(HasSubstr("a method")), Not(HasSubstr("a remark")),
                                           HasSubstr("\\textsuperscript{m}~measured, \\textsuperscript{d}~derived")));
}

TEST(LatexHandInTest, ALongTableIsCutAndSaysSo) {
  std::vector<proto::Section> sections = SmallReport();
  for (int i = 0; i < 19; ++i) {
    *sections[0].mutable_table(0)->add_row() = sections[0].table(0).row(0);
  }
  const std::string text = Render(sections);
  EXPECT_EQ(Count(text, "1.50 \\\\"), 12);
  EXPECT_THAT(text, HasSubstr("8 more rows are in the full report."));
}

TEST(LatexHandInTest, PlotsAreFourAtMostTheBestFirst) {
  const std::vector<proto::Section> sections = SmallReport();
  std::vector<std::string> ids;
  for (const proto::Plot* plot : HandInPlots(sections)) {
    ids.push_back(plot->id());
  }
  EXPECT_THAT(ids, ElementsAre("speedup", "split", "b", "c"));
  const std::string text = RenderLatexHandIn({}, sections, {{"speedup", {"", "r.plots/speedup.pdf", ""}}});
  EXPECT_EQ(Count(text, "\\includegraphics[width=\\linewidth]{r.plots/speedup.pdf}"), 1);
}

TEST(LatexHandInTest, ACommandIsShownOnce) { EXPECT_EQ(Count(Render(SmallReport()), "train\\_"), 1); }

TEST(LatexHandInTest, ManyCommandsAreCutAndCounted) {
  std::vector<proto::Section> sections = SmallReport();
  for (int i = 0; i < 15; ++i) {
    proto::Row& row = *sections[2].mutable_table(0)->add_row();
    row.add_cell();
    row.add_cell()->set_text(absl::StrCat("command", i));
  }
  EXPECT_THAT(Render(sections), AllOf(HasSubstr("\\par command10\\par"), Not(HasSubstr("command11")),
                                      HasSubstr("4 more commands are in the full report.")));
}

TEST(LatexHandInTest, AnEmptyReportIsADocument) {
  EXPECT_THAT(Render({}), AllOf(HasSubstr("\\begin{document}"), HasSubstr("\\end{document}"),
                                Not(HasSubstr("\\section{Commands}"))));
}

}  // namespace
}  // namespace lockstep
