#include "lib/report/glossary.h"

#include <string>

#include "absl/strings/ascii.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/arrange.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> NamesOf(const std::vector<proto::Section>& sections) {
  std::vector<std::string> names;
  for (const proto::Term& term : GlossaryOf(sections)) {
    names.push_back(term.name());
  }
  return names;
}

std::vector<std::string> NamesIn(const std::string& text) {
  proto::Section section;
  section.add_paragraph(text);
  return NamesOf({section});
}

TEST(GlossaryTest, WordsThatOccurAreExplainedOnce) {
  EXPECT_THAT(NamesIn("All-reduces? An all-reduce, DDP and DDP."), ElementsAre("all-reduce", "DDP"));
  EXPECT_THAT(NamesIn("NHWC"), ElementsAre("NCHW, NHWC"));
}

TEST(GlossaryTest, PartsOfWordsDoNot) { EXPECT_THAT(NamesIn("ranked franks' epochal bf160"), IsEmpty()); }

TEST(GlossaryTest, HeadingsOfColumnsAndLabelsCount) {
  proto::Section section;
  section.add_table()->add_column("TFLOP/s");
  section.add_plot()->add_series()->set_label("matmul ceiling");
  EXPECT_THAT(NamesOf({section}), ElementsAre("matmul ceiling", "TFLOP/s"));
}

TEST(GlossaryTest, APageExplainsItsOwnWordsOnly) {
  LabRecords sweep;
  sweep.sweeps.push_back(testing::SmallSweep());
  const std::vector<std::string> of_sweep = NamesOf(ArrangePages(sweep, PageStyle::kGiven).page);
  EXPECT_THAT(of_sweep, Contains("TFLOP/s"));
  EXPECT_THAT(of_sweep, Not(Contains("zero point")));
  EXPECT_THAT(NamesOf(ArrangePages(testing::SmallLab(), PageStyle::kGiven).page), Contains("bucket"));
}

TEST(GlossaryTest, TermsAreInTheOrderOfTheAlphabetAndSentences) {
  std::string before;
  proto::Section all;  // every word that a page may explain
  all.add_paragraph(
      "3-sigma ablation accumulator all-reduce alpha autograd bf16 bucket clipping DDP epoch exposed fp32 LARS overlap "
      "rank reducer SNR speed-up strong TF32 weak Welch's t-test Holm's correction validation accuracy zero point");
  const std::vector<proto::Term> terms = GlossaryOf({all});
  EXPECT_EQ(terms.size(), 26u);
  for (const proto::Term& term : terms) {
    const std::string name = absl::AsciiStrToLower(term.name());
    EXPECT_LT(before, name);
    EXPECT_EQ(term.meaning().back(), '.') << name;
    before = name;
  }
}

}  // namespace
}  // namespace lockstep
