#include "lib/summary/summary.h"

#include <algorithm>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

LabRecords WithExperiments() {
  LabRecords lab = testing::SmallLab();
  lab.scales.push_back(testing::SmallLargeBatch());
  lab.scales.push_back(testing::SmallSampler());
  lab.scales.push_back(testing::SmallSent());
  return lab;
}

const proto::SummaryCard& CardOf(const proto::Summary& summary, const std::string& question) {
  for (const proto::SummaryCard& card : summary.card()) {
    if (card.question() == question) {
      return card;
    }
  }
  ADD_FAILURE() << "no card of " << question;
  return summary.card(0);
}

TEST(SummaryTest, ACardForEachQuestionThatIsAskedAndAChipForEach) {
  const proto::Summary asked = SummarySection(testing::SmallLab(), CardsOf::kAskedQuestions).summary();
  EXPECT_EQ(asked.card_size(), 8);  // Q1 to Q3, B1 to B5
  EXPECT_EQ(asked.chip_size(), 12);
  EXPECT_EQ(asked.chip(3).link(), "missing");
  EXPECT_EQ(SummarySection(testing::SmallLab(), CardsOf::kAllQuestions).summary().card_size(), 12);
}

TEST(SummaryTest, ACardHasAVerdictOrAReasonWithACommand) {
  for (const LabRecords& lab : {testing::SmallLab(), WithExperiments(), LabRecords()}) {
    const proto::Section section = SummarySection(lab, CardsOf::kAllQuestions);
    for (const proto::SummaryCard& card : section.summary().card()) {
      const bool answered = card.state() != proto::NO_ANSWER;
      EXPECT_NE(card.verdict().empty(), answered) << card.question();
      EXPECT_EQ(card.source().empty(), !answered) << card.question();
      EXPECT_NE(card.command().empty(), !answered) << card.question();
      EXPECT_NE(card.absent_reason().empty(), !answered) << card.question();
      EXPECT_LE(card.headline().base_size(), 2) << card.question();
      EXPECT_LE(card.support_size(), 2) << card.question();
      EXPECT_EQ(card.verdict().find('['), std::string::npos) << "an interval in " << card.verdict();
      EXPECT_EQ(card.state() == proto::PARTLY, card.verdict().rfind("Not decided: ", 0) == 0) << card.verdict();
    }
  }
}

TEST(SummaryTest, TheFastestBatchIsComparedWithTheSmallest) {
  LabRecords lab = testing::SmallLab();
  proto::Samples& epochs = *lab.sweeps[0].points[1].mutable_epoch_seconds();
  epochs.set_value(0, 1.9);
  epochs.set_value(2, 2.1);
  const proto::SummaryCard card = CardOf(SummarySection(lab, CardsOf::kAskedQuestions).summary(), "Q1");
  EXPECT_EQ(card.verdict(), "Batch 128 is the fastest of the 2 that were timed.");
  EXPECT_EQ(card.headline().number(), "25.0k");  // 50,000 images in 2.0 s with data loading, as in the table
  EXPECT_EQ(card.headline().base(1), "2.00 times as fast as batch 32");
  EXPECT_EQ(card.headline().exact(), "25,000 [23,810, 26,316] images/s: mean and extremes of single epochs");
  EXPECT_EQ(card.support(0), "An epoch of 50,000 images takes 2.00 s with data loading, and 1.50 s without.");
  EXPECT_NEAR(card.spark().value(0), 12500, 1e-6);  // 50,000 images in 4.0 s
}

// The epochs of batch 64 take 1.5, 1.6 and 1.7 s, those of batch 128 take 1.4, 1.5 and 1.6 s.
TEST(SummaryTest, NoiseHidesTheFastestBatch) {
  LabRecords lab = testing::SmallLab();
  proto::SweepPoint point = lab.sweeps[0].points[1];
  point.set_batch_size(64);
  for (double& value : *point.mutable_step_seconds()->mutable_value()) {
    value += 0.1;
  }
  lab.sweeps[0].points.push_back(point);
  const proto::Summary summary = SummarySection(lab, CardsOf::kAskedQuestions).summary();
  EXPECT_EQ(CardOf(summary, "Q1").verdict(),
            "Not decided: the times are too noisy to name a fastest batch; the epochs of batches 64 and 128 overlap.");
  EXPECT_EQ(CardOf(summary, "Q1").state(), proto::PARTLY);
  EXPECT_EQ(CardOf(summary, "Q1").headline().base(1), "2.00 times as fast as batch 32");
}

// The small lab's subtraction is negative at batch 128; the time by events is there.
TEST(SummaryTest, ANegativeSubtractionFallsBackToTheTimeByEvents) {
  LabRecords lab = testing::SmallLab();
  const proto::SummaryCard card = CardOf(SummarySection(lab, CardsOf::kAskedQuestions).summary(), "Q3");
  EXPECT_EQ(card.verdict(), "Some: up to 10 % of an epoch waits for it.");
  EXPECT_EQ(card.support(card.support_size() - 1),
            "The lab's subtraction says nothing: a step on 2 devices took less time than on one at batch 128.");
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    row.mutable_exposed_event_seconds()->clear_value();
  }
  const proto::SummaryCard without = CardOf(SummarySection(lab, CardsOf::kAskedQuestions).summary(), "Q3");
  EXPECT_EQ(without.state(), proto::PARTLY);
  EXPECT_EQ(
      without.verdict(),
      "Not decided: not measurable by subtraction, because a step on 2 devices took less time than on one at batch "
      "128, and not measured by events.");
}

TEST(SummaryTest, WaitingBelow0IsNoNumber) {
  LabRecords lab = testing::SmallLab();
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    row.mutable_step_seconds()->set_value(2);
    row.mutable_exposed_event_seconds()->set_value(-0.024);
  }
  const proto::SummaryCard card = CardOf(SummarySection(lab, CardsOf::kAskedQuestions).summary(), "Q3");
  EXPECT_THAT(card.verdict(),
              StartsWith("Not decided: the waiting is not measurable (below 0 by 1.2 % of an epoch at batch "));
  EXPECT_FALSE(card.has_headline());
}

// Biases in int32 take the accuracy from 69.5 to 69.0 %; fp32 has 70.0 %. At most 12 + 2 images became wrong and 7 + 2
// right, from which no loss of a point can be excluded.
TEST(SummaryTest, B5IsTheChangeByTheBiasesAlone) {
  LabRecords lab = testing::SmallLab();
  const proto::SummaryCard card = CardOf(SummarySection(lab, CardsOf::kAskedQuestions).summary(), "B5");
  EXPECT_EQ(card.headline().number(), "\u22120.50");
  EXPECT_THAT(card.headline().base(0), HasSubstr(": 69.0 % with int32 biases,"));
  EXPECT_EQ(card.headline().base(1), "69.5 % with fp32 biases");
  EXPECT_EQ(card.support(0), "From fp32 to int8 with int32 biases it changes by \u22121.00 points.");
  EXPECT_THAT(card.verdict(), StartsWith("Not decided: 1000 images cannot exclude a loss of 1."));
  EXPECT_THAT(card.source(0), HasSubstr("FP32_NETWORK|INT8_WEIGHTS_ACTIVATIONS|INT8_WEIGHTS_ACTIVATIONS_BIAS"));

  // 9,000 more images, of which as large a share is right and none changes: 0.05 points, at most 14 and 9 changed ones.
  for (proto::AccuracyStep& step : *lab.quantized[0].networks[1].mutable_step()) {
    step.set_images(10000);
    step.set_correct(step.correct() + 6300);
  }
  EXPECT_EQ(CardOf(SummarySection(lab, CardsOf::kAskedQuestions).summary(), "B5").verdict(),
            "Nothing that can be measured.");
}

TEST(SummaryTest, ExperimentsAnswerWhatTheirSeedsShow) {
  const proto::Summary summary = SummarySection(WithExperiments(), CardsOf::kAskedQuestions).summary();
  EXPECT_EQ(summary.card_size(), 12);
  EXPECT_THAT(CardOf(summary, "Q5").verdict(), StartsWith("Yes: without it, each rank sees the same half"));
  EXPECT_THAT(CardOf(summary, "Q6").verdict(), HasSubstr("99.9 %"));

  // A network without batch norm is named next to the one that decides.
  LabRecords lab = WithExperiments();
  LabScale plain = testing::SmallSent();
  plain.spec.mutable_training()->set_model("resnet18_plain");
  const std::string gradients_only = plain.points[0].buffers();
  plain.points.erase(std::remove_if(plain.points.begin(), plain.points.end(),
                                    [&](const proto::ScalePoint& point) { return point.buffers() != gradients_only; }),
                     plain.points.end());
  lab.scales.insert(lab.scales.begin(), plain);
  const proto::Summary with_plain = SummarySection(lab, CardsOf::kAskedQuestions).summary();
  EXPECT_THAT(CardOf(with_plain, "Q6").verdict(), HasSubstr("99.9 %"));
  EXPECT_EQ(CardOf(with_plain, "Q6").support().rbegin()[0],
            "resnet18_plain, which has no batch norm, sends only gradients.");
  EXPECT_THAT(CardOf(with_plain, "Q7").support().rbegin()[0],
              HasSubstr("resnet18_plain, which has no batch norm and needs only gradients, reaches 62 %."));
  EXPECT_EQ(CardOf(with_plain, "Q7").verdict(), CardOf(summary, "Q7").verdict());
  EXPECT_THAT(summary.lead(), HasSubstr("A global batch of 8192 without a remedy ends"));
}

TEST(SummaryTest, EachKindOfWarningIsOneLimit) {
  LabRecords lab = testing::SmallLab();
  EXPECT_TRUE(SummarySection(lab, CardsOf::kAskedQuestions).summary().limit().empty());
  lab.sweeps[0].points[0].add_noise_warning("timed epochs differ by 20 %");
  lab.scales[0].points[2].add_noise_warning("timed epochs differ by 30 %");
  lab.scales[0].points[3].add_noise_warning("timed epochs differ by 40 %");
  const proto::Summary summary = SummarySection(lab, CardsOf::kAskedQuestions).summary();
  ASSERT_EQ(summary.limit_size(), 1);
  EXPECT_EQ(summary.limit(0),
            "Measured on a noisy machine: sweep.rec, batch 32: timed epochs differ by 20 % (2 more warnings of this "
            "kind).");
}

// Adds a second run of the small scale record, whose epochs on two devices take half as long, and its explanation.
void AddFastRun(LabRecords& lab) {
  LabScale scale = testing::SmallScale();
  scale.input.set_path("fast.rec");
  scale.input.set_sha256("digest of fast.rec");
  for (proto::ScalePoint& point : scale.points) {
    for (double& value : *point.mutable_epoch_seconds()->mutable_value()) {
      value *= point.ranks() == 2 ? 0.5 : 1;
    }
  }
  LabCommModel comm_model = testing::SmallCommModel();
  comm_model.header.mutable_input(0)->set_sha256("digest of fast.rec");
  for (proto::ScalingRow& row : comm_model.rows) {
    if (row.ranks() == 2 && row.batch_per_device() == 32) {
      row.mutable_epoch_speedup()->set_value(3.2);
      row.mutable_epoch_seconds()->set_value(1.0);
      row.mutable_exposed_event_seconds()->set_value(0.9);
    }
  }
  lab.scales.push_back(scale);
  lab.comm_models.push_back(comm_model);
}

TEST(SummaryTest, RunsOfTheSameWorkGiveARange) {
  LabRecords lab = testing::SmallLab();
  AddFastRun(lab);
  const proto::Summary summary = SummarySection(lab, CardsOf::kAskedQuestions).summary();
  EXPECT_EQ(CardOf(summary, "Q2").headline().number(), "3.20");
  EXPECT_THAT(CardOf(summary, "Q2").support(), Contains("Over runs B and C: 1.60 to 3.20 times as fast."));
  EXPECT_THAT(CardOf(summary, "Q3").support(), Contains("Over runs B and C: 10 % to 45 % of an epoch."));
}

TEST(SummaryTest, VirtualHostsAnswerOnlyWithoutAnotherRun) {
  LabRecords lab = testing::SmallLab();
  AddFastRun(lab);
  lab.scales[1].spec.add_virtual_host(0);
  lab.scales[1].spec.add_virtual_host(1);
  const proto::Summary plain = SummarySection(lab, CardsOf::kAskedQuestions).summary();
  EXPECT_EQ(CardOf(plain, "Q2").headline().number(), "1.67");  // batch 128 of scale.rec
  EXPECT_THAT(CardOf(plain, "Q2").support(), Not(Contains(HasSubstr("Over runs"))));
  EXPECT_THAT(CardOf(plain, "Q2").headline().base(0), Not(HasSubstr("virtual")));

  lab.scales.erase(lab.scales.begin());
  lab.comm_models.erase(lab.comm_models.begin());
  const proto::Summary alone = SummarySection(lab, CardsOf::kAskedQuestions).summary();
  EXPECT_EQ(CardOf(alone, "Q2").headline().number(), "3.20");
  EXPECT_THAT(CardOf(alone, "Q2").headline().base(0), HasSubstr(" on virtual hosts at batch 32"));
  EXPECT_THAT(CardOf(alone, "Q3").headline().base(0), HasSubstr(" on virtual hosts at batch 32"));
  EXPECT_THAT(alone.lead(), HasSubstr(" on virtual hosts"));
}

// The table of runs next to each other and the recommendation have one rule.
TEST(SummaryTest, WhatTheTableCallsSlowerIsRecommendedAgainst) {
  LabRecords lab;
  for (const double factor : {0.99, 1.0, 1.01}) {
    for (const uint32_t threads : {1u, 2u}) {
      LabScale scale = testing::SmallScale();
      scale.spec.mutable_training()->set_device(proto::CPU);
      scale.spec.mutable_training()->set_threads(threads);
      for (proto::ScalePoint& point : scale.points) {
        for (double& value : *point.mutable_epoch_seconds()->mutable_value()) {
          value *= factor * threads;
        }
      }
      lab.scales.push_back(scale);
    }
  }
  const std::string lead = SummarySection(lab, CardsOf::kAskedQuestions).summary().lead();
  EXPECT_THAT(lead, StartsWith("Shown to be faster: threads=1. At "));
  EXPECT_THAT(lead, HasSubstr("threads=2 takes 2.00 times as long."));
  lab.scales.resize(2);  // two single runs show nothing
  EXPECT_THAT(SummarySection(lab, CardsOf::kAskedQuestions).summary().lead(), StartsWith("No setting can be"));
}

TEST(SummaryTest, WithoutRecordsNothingIsRecommended) {
  const proto::Section section = SummarySection({}, CardsOf::kAskedQuestions);
  EXPECT_THAT(section.summary().lead(), StartsWith("No setting can be recommended yet"));
  EXPECT_EQ(section.summary().card_size(), 0);
  EXPECT_THAT(section.summary().trust().verdict(), StartsWith("Not decided"));
}

TEST(SummaryTest, APageWithoutTrainingHasALeadOfItsOwn) {
  LabRecords lab;
  LabCommModel& file = lab.comm_models.emplace_back();
  EXPECT_EQ(SummarySection(lab, CardsOf::kAskedQuestions).summary().lead(),
            "No record here is of a training run, so no setting is recommended.");
  for (const uint32_t ranks : {1, 2, 4}) {
    proto::PublishedTime& time = file.published_times.emplace_back();
    time.set_ranks(ranks);
    time.set_batch_per_device(128);
    time.mutable_epoch_speedup()->set_value(1 + 0.8 * (ranks - 1));
  }
  EXPECT_EQ(
      SummarySection(lab, CardsOf::kAskedQuestions).summary().lead(),
      "In the published times, 4 devices train 3.40 times as fast as one at batch 128 per device (85 % of ideal).");
}

}  // namespace
}  // namespace lockstep
