#include "lib/report/arrange.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Ids(const std::vector<proto::Section>& sections) {
  std::vector<std::string> ids;
  for (const proto::Section& section : sections) {
    ids.push_back(section.id());
  }
  return ids;
}

TEST(ArrangeTest, SummaryFirstRecordsLastAndTheAuditApart) {
  const ReportPages pages = ArrangePages(SmallLab(), PageStyle::kGiven);
  EXPECT_THAT(Ids(pages.page), ElementsAre("summary", "tables", "figures", "answers", "sweep", "scaling",
                                           "communication", "prediction", "training", "int8", "machine", "records"));
  EXPECT_THAT(Ids(pages.audit), ElementsAre("audit"));
}

TEST(ArrangeTest, WhatWasNotAskedIsNamedInOneLine) {
  const proto::Section answers = ArrangePages(SmallLab(), PageStyle::kGiven).page[3];
  for (const proto::Claim& claim : answers.claim()) {
    EXPECT_THAT(claim.absent_reason(), IsEmpty()) << claim.question();
  }
  ASSERT_EQ(answers.paragraph_size(), 1);
  EXPECT_THAT(answers.paragraph(0), HasSubstr("Q4, Q5, Q6, Q7. --style=lab"));
}

TEST(ArrangeTest, AQuestionWhoseRecordCannotAnswerItStays) {
  LabRecords lab = SmallLab();
  lab.comm_models.clear();
  const proto::Section answers = ArrangePages(lab, PageStyle::kGiven).page[3];
  ASSERT_EQ(answers.claim(1).question(), "Q2");
  EXPECT_THAT(answers.claim(1).absent_reason(), HasSubstr("comm_model"));
}

TEST(ArrangeTest, TheLabsStyleHasEveryQuestion) {
  const ReportPages pages = ArrangePages(SmallLab(), PageStyle::kLab);
  EXPECT_EQ(pages.page[3].claim_size(), 12);
  EXPECT_EQ(pages.page.size(), 16u);
}

TEST(ArrangeTest, OneSectionHasTheWarningsAndOneTheFigures) {
  const ReportPages pages = ArrangePages(SmallLab(), PageStyle::kGiven);
  int warnings = 0, speedups = 0;
  for (const proto::Section& section : pages.page) {
    warnings += section.warning_size();
    for (const proto::Plot& plot : section.plot()) {
      speedups += plot.id() == "speedup" ? 1 : 0;
      EXPECT_EQ(plot.group().empty(), section.id() == "figures") << plot.id();
    }
  }
  EXPECT_EQ(warnings, pages.page[0].warning_size());
  EXPECT_EQ(speedups, 1);
}

TEST(ArrangeTest, CardsHaveNoLinkWithoutATarget) {
  const auto targets_of = [](const LabRecords& lab) {
    std::vector<std::string> targets;
    const ReportPages pages = ArrangePages(lab, PageStyle::kGiven);
    for (const proto::CardLink& link : pages.page[0].summary().card(1).link()) {
      targets.push_back(link.target());
    }
    return targets;
  };
  EXPECT_THAT(targets_of(SmallLab()), ElementsAre("table-1", "plot-speedup", "answer-Q2"));
  LabRecords lab = SmallLab();
  lab.scales.clear();
  lab.comm_models.clear();
  lab.quantized.clear();
  lab.scales.push_back(testing::SmallSent());  // its cards are Q1, Q6 and Q7
  EXPECT_THAT(targets_of(lab), ElementsAre("answer-Q6"));
}

TEST(ArrangeTest, AnUnknownStyleIsAUsageError) {
  EXPECT_THAT(ParsePageStyle("short"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("given or lab")));
}

}  // namespace
}  // namespace lockstep
