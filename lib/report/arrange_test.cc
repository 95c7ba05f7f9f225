#include "lib/report/arrange.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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
  EXPECT_THAT(Ids(pages.page),
              ElementsAre("summary", "tables", "figures", "answers", "sweep", "scaling", "communication", "prediction",
                          "training", "int8", "methods", "machine", "records"));
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
  EXPECT_EQ(pages.page.size(), 17u);
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

// Adds a second scaling run of twice the speed, with its comm_model record, before or after the first one.
void AddFasterRun(bool first, LabRecords& lab) {
  LabScale faster = lab.scales[0];
  faster.input.set_path("faster.rec");
  faster.input.set_sha256("digest of faster.rec");
  for (proto::ScalePoint& point : faster.points) {
    for (double& seconds : *point.mutable_epoch_seconds()->mutable_value()) {
      seconds /= 2;
    }
  }
  LabCommModel model = lab.comm_models[0];
  model.header.mutable_input(0)->set_sha256(faster.input.sha256());
  lab.scales.insert(first ? lab.scales.begin() : lab.scales.end(), faster);
  lab.comm_models.insert(first ? lab.comm_models.begin() : lab.comm_models.end(), model);
}

// Returns the title of the plot to which the card links; empty if it links to none.
std::string LinkedFigure(const LabRecords& lab, int card) {
  const ReportPages pages = ArrangePages(lab, PageStyle::kGiven);
  for (const proto::CardLink& link : pages.page[0].summary().card(card).link()) {
    for (const proto::Section& section : pages.page) {
      for (const proto::Plot& plot : section.plot()) {
        if (link.target() == absl::StrCat("plot-", plot.id())) {
          return plot.title();
        }
      }
    }
  }
  return "";
}

TEST(ArrangeTest, CardsLinkToTheFigureOfTheirRecordInAnyOrderOfTheFiles) {
  LabRecords faster_last = SmallLab(), faster_first = SmallLab();
  AddFasterRun(false, faster_last);
  AddFasterRun(true, faster_first);
  EXPECT_EQ(LinkedFigure(faster_last, 1), "Efficiency of several devices: run C");
  EXPECT_EQ(LinkedFigure(faster_last, 2), "Where the time goes: run C");
  EXPECT_EQ(LinkedFigure(faster_first, 1), "Efficiency of several devices: run B");
  EXPECT_EQ(LinkedFigure(faster_first, 2), "Where the time goes: run B");
}

TEST(ArrangeTest, TheCardOfQ1LinksToTheFigureOfTheSweepWithMoreRepeats) {
  LabRecords lab = SmallLab();
  lab.sweeps.insert(lab.sweeps.begin(), lab.sweeps[0]);
  for (proto::SweepPoint& point : lab.sweeps[0].points) {
    if (point.step_seconds().value_size() > 1) {
      point.mutable_step_seconds()->mutable_value()->Truncate(1);
    }
  }
  lab.sweeps[0].input.set_path("single.rec");
  EXPECT_EQ(LinkedFigure(lab, 0), "Time of an epoch against batch size, run B");
  std::swap(lab.sweeps[0], lab.sweeps[1]);
  EXPECT_EQ(LinkedFigure(lab, 0), "Time of an epoch against batch size, run A");
}

TEST(ArrangeTest, ACardWhoseRecordHasNoFigureLinksToNone) {
  LabRecords lab = SmallLab();
  AddFasterRun(false, lab);
  for (proto::ScalingRow& row : lab.comm_models.back().rows) {
    row.clear_compute_seconds();  // the parts of an epoch are then not known
  }
  EXPECT_EQ(LinkedFigure(lab, 2), "");
}

TEST(ArrangeTest, AnUnknownStyleIsAUsageError) {
  EXPECT_THAT(ParsePageStyle("short"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("given or lab")));
}

}  // namespace
}  // namespace lockstep
