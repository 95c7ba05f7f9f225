#include "lib/report/sentences.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/sections.h"

namespace lockstep {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::lockstep::testing::SmallDataParallel;
using ::lockstep::testing::SmallDataParallelModel;
using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallLargeBatch;
using ::lockstep::testing::SmallSampler;
using ::lockstep::testing::SmallSent;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Returns the records for all questions of the lab.
LabRecords WholeLab() {
  LabRecords lab = SmallLab();
  lab.scales.insert(lab.scales.end(), {SmallLargeBatch(), SmallSampler(), SmallSent()});
  return lab;
}

TEST(SentencesTest, TwelveQuestionsInTheOrderOfTheLab) {
  std::string questions;
  const proto::Section answers = AnswersSection(SmallLab());
  for (const proto::Claim& claim : answers.claim()) {
    absl::StrAppend(&questions, claim.question(), " ");
    EXPECT_THAT(claim.asked(), Not(IsEmpty()));
  }
  EXPECT_EQ(questions, "Q1 Q2 Q3 Q4 Q5 Q6 Q7 B1 B2 B3 B4 B5 ");
}

// Every claim has either sources or a reason, for any records.
TEST(SentencesTest, AClaimIsBoundToFieldsOrReportsWhyItIsAbsent) {
  for (const LabRecords& lab : {SmallLab(), WholeLab(), LabRecords()}) {
    const proto::Section answers = AnswersSection(lab);
    for (const proto::Claim& claim : answers.claim()) {
      EXPECT_NE(claim.text().empty(), claim.absent_reason().empty()) << claim.DebugString();
      EXPECT_EQ(claim.text().empty(), claim.source().empty()) << claim.DebugString();
    }
  }
}

const Descriptor* RecordType(const std::string& kind) {
  return kind == "sweep"        ? proto::SweepRecord::descriptor()
         : kind == "scale"      ? proto::ScaleRecord::descriptor()
         : kind == "comm_model" ? proto::CommModelRecord::descriptor()
         : kind == "quantized"  ? proto::QuantizedRecord::descriptor()
                                : nullptr;
}

// "sweep.point[batch_size=32|128].step_seconds": both "step_seconds" and "batch_size" must be fields of the message
// "point".
void ExpectFieldsExist(const std::string& source) {
  const std::vector<std::string> steps = absl::StrSplit(source, '.');
  const Descriptor* type = RecordType(steps[0]);
  ASSERT_NE(type, nullptr) << source;
  for (size_t i = 1; i < steps.size(); ++i) {
    const std::pair<std::string, std::string> name_and_keys = absl::StrSplit(steps[i], absl::MaxSplits('[', 1));
    const FieldDescriptor* field = type->FindFieldByName(name_and_keys.first);
    ASSERT_NE(field, nullptr) << source << ": " << name_and_keys.first;
    type = field->message_type();
    for (const absl::string_view key : absl::StrSplit(name_and_keys.second, ',', absl::SkipEmpty())) {
      const std::pair<std::string, std::string> name_and_value = absl::StrSplit(key, '=');
      EXPECT_NE(type->FindFieldByName(name_and_value.first), nullptr) << source << ": " << name_and_value.first;
    }
  }
}

TEST(SentencesTest, SourcesNameFieldsThatExist) {
  const proto::Section answers = AnswersSection(WholeLab());
  for (const proto::Claim& claim : answers.claim()) {
    for (const std::string& source : claim.source()) {
      ExpectFieldsExist(source);
    }
  }
}

TEST(SentencesTest, Q1IsTheLabsSentence) {
  EXPECT_THAT(AnswerQ1(SmallLab()).text(),
              AllOf(HasSubstr("The best batch is 128: 2.00 [1.88, 2.14] times as fast as 32. On GPU <A&B> it takes "
                              "3.000 ± 0 s with mini-batch size 32 and 1.50 ± 0.10 s with mini-batch size 128 to train "
                              "resnet18 for one epoch of 50,000 images without data loading"),
                    HasSubstr("did not fit into memory")));
}

TEST(SentencesTest, Q1ReportsNothingOfADifferenceWithinTheSpread) {
  LabRecords lab = SmallLab();
  for (double& value : *lab.sweeps[0].points[0].mutable_step_seconds()->mutable_value()) {
    value = 1.55;  // compared with 1.4, 1.5, 1.6: mean 1.5, deviation 0.1
  }
  EXPECT_THAT(AnswerQ1(lab).text(),
              HasSubstr("The times are too noisy to name a fastest batch: the epochs of batches 128 and 32 overlap."));
}

TEST(SentencesTest, Q1ComparesNothingThatWasMeasuredOnce) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points[0].mutable_step_seconds()->mutable_value()->Truncate(1);
  EXPECT_THAT(AnswerQ1(lab).text(), AllOf(HasSubstr("cannot be compared"), Not(HasSubstr("times as fast"))));
}

TEST(SentencesTest, Q1ReportsWhenTheSweepDidNotEndInMemory) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].end.set_reason(proto::END_EXCEEDS_DATASET);
  EXPECT_THAT(AnswerQ1(lab).text(), HasSubstr("not because memory ran out"));
}

TEST(SentencesTest, Q2ReportsThatTheOtherKindIsNotKnown) {
  EXPECT_THAT(AnswerQ2(SmallLab()).text(),
              AllOf(HasSubstr("is 1.60 at batch 32 and 1.67 at batch 128 per device (ideal: 2)"),
                    HasSubstr("the strong speed-up is not known (no run of 1 x 64)")));
}

proto::Quantity QuantityOf(double value, double low, double high) {
  proto::Quantity quantity;
  quantity.set_value(value);
  quantity.set_low(low);
  quantity.set_high(high);
  return quantity;
}

TEST(SentencesTest, Q2ComparesTheKindsOnlyWhereTheIntervalsPart) {
  LabRecords lab = SmallLab();  // weak: 1.5 [1.4, 1.6]
  proto::ScalingRow& row = lab.comm_models[0].rows[1];
  *row.mutable_strong_speedup() = QuantityOf(1.2, 1.1, 1.3);
  EXPECT_THAT(AnswerQ2(lab).text(),
              HasSubstr(" Strong scaling is worse here: the speed-up is 1.20 per epoch with the global batch fixed "
                        "(strong: 2 x 32 against 1 x 64), and 1.50 per step with the batch per device fixed (weak)."));
  *row.mutable_strong_speedup() = QuantityOf(1.9, 1.8, 2.0);
  EXPECT_THAT(AnswerQ2(lab).text(), HasSubstr(" Strong scaling is better here: "));
  *row.mutable_strong_speedup() = QuantityOf(1.55, 1.45, 1.65);
  EXPECT_THAT(AnswerQ2(lab).text(), HasSubstr("Strong and weak scaling do not differ by more than the spread"));
}

TEST(SentencesTest, Q3ComparesTheLabsSplitWithTheOthers) {
  EXPECT_THAT(
      AnswerQ3(SmallLab()).text(),
      AllOf(HasSubstr("Batch 32 per device: 1.50 s of 2.00 s computing and 0.500 s (25 %) communicating by the lab's "
                      "subtraction; bandwidth over this time: 69.9 GB/s, 31.3 % of the measured link."),
            HasSubstr("Exposed communication by events: 0.200 s; by ablation: 0.300 s; other losses: 0.200 s. The "
                      "all-reduces ran for 0.500 s, overlapped or not, at 69.9 GB/s, 31.3 % of the measured link."),
            HasSubstr("-0.0500 s"), HasSubstr("bandwidth over this time: not known (T_comm is negative)")));
}

// -0.05 s in 196 steps. The other batch has a positive time.
TEST(SentencesTest, Q3ReportsTheMeaningOfANegativeDifference) {
  EXPECT_THAT(
      AnswerQ3(SmallLab()).text(),
      AllOf(HasSubstr("and -0.0500 s (-7.1 %) communicating by the lab's subtraction; bandwidth over this time: "
                      "not known (T_comm is negative). This time is not measurable by subtraction: a step on 2 "
                      "devices took 0.255 ms less than on one, although it also communicates; each time was "
                      "measured once, so that the spread is not known. Exposed communication by events: 0.0100 "
                      "s; "),
            Not(HasSubstr("31.3 % of the measured link. This time"))));
  LabRecords lab = SmallLab();
  lab.scales.push_back(SmallDataParallel());
  lab.comm_models.push_back(SmallDataParallelModel());
  EXPECT_THAT(AnswerQ3(lab).text(), Not(HasSubstr("below 0: not measurable")));
  for (proto::ScalingRow& row : lab.comm_models.back().rows) {
    row.mutable_communication_seconds()->set_value(-0.5);
  }
  EXPECT_THAT(AnswerQ3(lab).text(),
              HasSubstr("-0.500 s (below 0: not measurable by subtraction) of 2.00 s at batch 32"));
}

TEST(SentencesTest, Q3PrintsNoExposedTimeBelow0) {
  LabRecords lab = SmallLab();
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    row.mutable_exposed_event_seconds()->set_value(-0.025);
    row.mutable_exposed_ablation_seconds()->set_value(-0.0005);
  }
  EXPECT_THAT(AnswerQ3(lab).text(),
              HasSubstr("Exposed communication by events: not measurable (below 0 by 25 ms); by ablation: not "
                        "measurable (below 0 by 500 us); other losses: 0.200 s."));
}

TEST(SentencesTest, WithoutCommModelQ2AndQ3ReportWhatIsMissing) {
  LabRecords lab = SmallLab();
  lab.comm_models.clear();
  EXPECT_THAT(AnswerQ2(lab).absent_reason(), HasSubstr("comm_model"));
  lab.scales.clear();
  EXPECT_THAT(AnswerQ3(lab).absent_reason(), HasSubstr("scale_run"));
}

TEST(SentencesTest, WhatWasNotMeasuredIsNotAnsweredAndItsCommandIsNamed) {
  for (const auto& [answer, experiment] :
       {std::pair<proto::Claim (*)(const LabRecords&), const char*>{AnswerQ4, "large_batch"},
        {AnswerQ5, "sampler_epoch"},
        {AnswerQ6, "what_is_sent"},
        {AnswerQ7, "what_is_sent"}}) {
    EXPECT_THAT(answer(SmallLab()).absent_reason(),
                AllOf(HasSubstr("not measured: needs"),
                      HasSubstr(absl::StrCat("scale_run --input=/lab/dataset.rec --experiment=", experiment))));
  }
}

TEST(SentencesTest, Q2AndQ3NameEachWayToTrain) {
  LabRecords lab = SmallLab();
  lab.scales.push_back(SmallDataParallel());
  lab.comm_models.push_back(SmallDataParallelModel());
  EXPECT_THAT(AnswerQ2(lab).text(),
              AllOf(HasSubstr("The speed-up of an epoch on 2 devices (DDP, lab preset) is 1.60 at batch 32"),
                    HasSubstr("\nDataParallel, lab preset, 2 devices: 1.33 at batch 32.")));
  EXPECT_THAT(AnswerQ3(lab).text(), HasSubstr("\nDataParallel, lab preset, communicating by the lab's subtraction: "
                                              "0.500 s of 2.00 s at batch 32 per device."));
}

TEST(SentencesTest, Q4NamesTheBestRemedyByValidationAccuracy) {
  const std::string text = AnswerQ4(WholeLab()).text();
  EXPECT_THAT(
      text, AllOf(HasSubstr("global batch 128 has a training loss of 1.10 [1.00, 1.20] and 67.00 [65.00, 69.00] "
                            "% accuracy in epoch 5, 62.00 [60.00, 64.00] % on the test set, after 1955 updates"),
                  HasSubstr("Global batch 8192 has a training loss of 2 and"), HasSubstr("after 35 updates"),
                  HasSubstr("The best of 2 single remedies by validation accuracy is clipping, with 41.00 [40.00, "
                            "42.00] %; its test accuracy is 42.00 [41.00, 43.00] %, 50 % of the lost accuracy."),
                  HasSubstr("Combinations: clipping and ghost batch norm with 38.00 [36.00, 40.00] %, 40 % of the lost "
                            "accuracy; all with 32.00 [30.00, 34.00] %, 24 % of the lost accuracy (batch 128 with this "
                            "schedule and as many epochs: 63.00 [61.00, 65.00] %)."),
                  HasSubstr("Trained longer: without a remedy 25.00 [23.00, 27.00] % after 6 epochs (batch 128 with "
                            "this schedule and as many epochs: 65.00 [63.00, 67.00] %); with all 61.00 [60.00, "
                            "62.00] %, 88 % of the lost accuracy after 6 epochs"),
                  HasSubstr("Means of 2 seeds")));
}

// By test accuracy, label smoothing would be chosen.
TEST(SentencesTest, Q4ChoosesNoRemedyByTheTestSet) {
  LabRecords lab = WholeLab();
  for (proto::ScalePoint& point : lab.scales[1].points) {
    if (point.row() == "8192, label smoothing") {
      point.mutable_epoch(4)->set_test_accuracy(0.9);
    }
  }
  EXPECT_THAT(AnswerQ4(lab).text(), HasSubstr("by validation accuracy is clipping, with 41.00"));
}

TEST(SentencesTest, Q4ReportsWhenTheRunnerUpIsAsGood) {
  LabRecords lab = WholeLab();
  for (proto::ScalePoint& point : lab.scales[1].points) {
    if (point.row() == "8192, label smoothing") {
      proto::EpochResult& last = *point.mutable_epoch(4);
      last.set_validation_accuracy(last.validation_accuracy() + 0.145);  // 39.5 on average
    }
  }
  EXPECT_THAT(AnswerQ4(lab).text(), HasSubstr("is clipping, with 41.00 [40.00, 42.00] %, which does not differ "
                                              "significantly from label smoothing (2 seeds)"));
}

TEST(SentencesTest, Q4NamesNoRemedyThatIsNotSignificant) {
  LabRecords lab = WholeLab();
  for (proto::ScalePoint& point : lab.scales[1].points) {
    if (point.row() == "8192, clipping") {
      point.mutable_epoch(4)->set_validation_accuracy(point.training().seed() % 2 == 0 ? 0.99 : 0.21);
    }
  }
  EXPECT_THAT(AnswerQ4(lab).text(),
              HasSubstr("No remedy can be called best: on held-out training images, clipping has the highest accuracy, "
                        "which does not differ significantly from that without a remedy (2 seeds)."));
}

TEST(SentencesTest, Q4NamesNoRemedyWithoutHeldOutImages) {
  LabRecords lab = SmallLab();
  lab.scales.push_back(::lockstep::testing::OldLargeBatch());
  EXPECT_THAT(
      AnswerQ4(lab).text(),
      AllOf(HasSubstr("No remedy can be called best: the record has no accuracy on held-out training images"),
            HasSubstr("all with 32.00 [30.00, 34.00] %, +10.00 points against none."), Not(HasSubstr("The best of"))));
}

TEST(SentencesTest, Q4ReportsWhenARemedyIsWithinTheSeedsSpread) {
  LabRecords lab = WholeLab();
  for (proto::ScalePoint& point : lab.scales[1].points) {
    if (point.row() == "8192, clipping") {
      point.mutable_epoch(4)->set_test_accuracy(point.training().seed() % 2 == 0 ? 0.99 : 0.21);
    }
  }
  EXPECT_THAT(AnswerQ4(lab).text(), HasSubstr("% (difference from none: within the spread of 2 seeds, p = "));
}

TEST(SentencesTest, Q4GivesNoShareOfALossThatIsNotSignificant) {
  LabRecords lab = WholeLab();
  for (proto::ScalePoint& point : lab.scales[1].points) {
    if (point.row() == "128" && point.training().seed() % 2 == 0) {
      point.mutable_epoch(4)->set_test_accuracy(0.05);
    }
  }
  EXPECT_THAT(AnswerQ4(lab).text(),
              AllOf(HasSubstr("Its loss of test accuracy is not significant: within the spread of 3 "
                              "seeds, p = "),
                    HasSubstr("42.00 [41.00, 43.00] %, +20.00 points against none")));
  EXPECT_THAT(AnswerQ4(WholeLab()).text(), Not(HasSubstr("is not significant")));
}

TEST(SentencesTest, OneSeedIsPartialEvidence) {
  LabRecords lab = WholeLab();
  for (size_t i = 1; i < lab.scales.size(); ++i) {
    std::vector<proto::ScalePoint>& points = lab.scales[i].points;
    points.erase(std::remove_if(points.begin(), points.end(),
                                [](const proto::ScalePoint& point) { return point.training().seed() != 7; }),
                 points.end());
  }
  for (const auto answer : {AnswerQ4, AnswerQ5, AnswerQ7}) {
    EXPECT_THAT(answer(lab).text(), HasSubstr("Partial evidence: one seed"));
  }
  EXPECT_THAT(AnswerQ4(lab).text(),
              AllOf(HasSubstr("No remedy can be called best: one seed has no spread, so remedies cannot be compared"),
                    Not(HasSubstr("of the lost accuracy"))));
}

TEST(SentencesTest, Q5ShowsWhatTheEpochNumberChanges) {
  EXPECT_THAT(
      AnswerQ5(WholeLab()).text(),
      AllOf(HasSubstr("Rank 0 without the epoch number: 1 order in 5 epochs, 100 % of its batches as in the previous "
                      "epoch, and 25,000 of 50,000 images seen"),
            HasSubstr("; with it: 5 different orders in 5 epochs, 0 % of its batches"), HasSubstr("48,440 of 50,000"),
            HasSubstr("The test accuracies differ significantly (p = 0.0036, Welch's t-test)."),
            HasSubstr("Means of 3 seeds")));
}

// 52, 58, 59 are all below 60, 62, 64: the ranges do not overlap, but the test does not find the difference
// significant.
TEST(SentencesTest, Q5ReportsWhenTheDifferenceIsNotSignificant) {
  LabRecords lab = WholeLab();
  const double accuracies[] = {0.52, 0.58, 0.59};
  for (proto::ScalePoint& point : lab.scales[2].points) {
    if (point.training().no_set_epoch()) {
      point.mutable_epoch(4)->set_test_accuracy(accuracies[point.training().seed() - 7]);
    }
  }
  EXPECT_THAT(AnswerQ5(lab).text(),
              HasSubstr("The test accuracies do not differ significantly: within the spread of 3 seeds, p = "));
}

TEST(SentencesTest, Q6CountsByKind) {
  EXPECT_THAT(AnswerQ6(WholeLab()).text(),
              AllOf(HasSubstr("gradients only: gradients 44.70 MB in 5 calls a step; outside the steps, over the whole "
                              "run, initial broadcast 44.73 MB."),
                    HasSubstr("batch-norm buffers 38.56 kB in 1 call a step")));
  // The experiment is missing: the answer names the counted kinds and what is not in any record.
  LabRecords lab = SmallLab();
  lab.scales[0].points[3] = SmallSent().points[0];
  lab.scales[0].points[3].clear_row();
  EXPECT_THAT(AnswerQ6(lab).text(), AllOf(HasSubstr("gradients 44.70 MB"), HasSubstr("--experiment=what_is_sent")));
}

// 65, 66, 67 are all above 60, 62, 64: p is 0.055, and 0.11 after correction for two comparisons.
TEST(SentencesTest, Q7ComparesAccuracies) {
  LabRecords lab = WholeLab();
  EXPECT_THAT(AnswerQ7(lab).text(),
              AllOf(HasSubstr("62.00 [60.00, 64.00] % with gradients only"),
                    HasSubstr("buffers broadcast does not differ significantly and batch norm over all "
                              "ranks does not differ significantly")));
  for (proto::ScalePoint& point : lab.scales[3].points) {
    if (point.buffers() == "sync_bn") {
      proto::EpochResult& last = *point.mutable_epoch(4);
      last.set_test_accuracy(last.test_accuracy() + 0.1);
    }
  }
  EXPECT_THAT(AnswerQ7(lab).text(),
              HasSubstr("buffers broadcast does not differ significantly and batch norm over all ranks "
                        "does better"));
}

TEST(SentencesTest, ANetworkWithoutBatchNormDoesNotAnswerQ7) {
  LabRecords lab = WholeLab();
  for (LabScale& scale : lab.scales) {
    scale.spec.mutable_training()->set_model("lenet5");
  }
  EXPECT_EQ(AnswerQ7(lab).text(), "");
  EXPECT_THAT(AnswerQ7(lab).absent_reason(), HasSubstr("; lenet5 has no batch norm; use resnet18"));
  EXPECT_THAT(AnswerQ6(lab).text(), AllOf(HasSubstr("; lenet5 has no batch norm.\ngradients only: "),
                                          HasSubstr("\nNetworks with batch norm also send running statistics.")));
}

// The lab on a CPU trains ResNet-18 on few synthetic images.
TEST(SentencesTest, OtherImagesThanThoseOfThePageAreNamed) {
  LabRecords lab = WholeLab();
  EXPECT_THAT(AnswerQ7(lab).text(), Not(HasSubstr("other images")));
  lab.datasets[0].input.set_sha256("the data set");
  lab.scales[3].header.clear_input();
  lab.scales[3].header.add_input()->set_sha256("few images");
  lab.scales[3].spec.mutable_model()->set_training_images(128);
  lab.scales[3].spec.mutable_model()->set_test_images(32);
  for (const auto answer : {AnswerQ6, AnswerQ7}) {
    EXPECT_THAT(answer(lab).text(),
                HasSubstr(", on other images than the rest of the page: 128 for training, 32 for tests"));
  }
  lab.scales[3].header.mutable_input(0)->set_sha256("the data set");
  EXPECT_THAT(AnswerQ7(lab).text(), Not(HasSubstr("other images")));
}

TEST(SentencesTest, ANetworkWithoutBatchNormIsReportedNextToOneWithIt) {
  LabRecords lab = WholeLab();
  LabScale plain = lab.scales[3];
  plain.spec.mutable_training()->set_model("resnet18_plain");
  const std::string gradients_only = plain.points[0].buffers();
  plain.points.erase(std::remove_if(plain.points.begin(), plain.points.end(),
                                    [&](const proto::ScalePoint& point) { return point.buffers() != gradients_only; }),
                     plain.points.end());
  lab.scales.insert(lab.scales.begin(), plain);  // the order of the records does not matter
  EXPECT_THAT(AnswerQ6(lab).text(), AllOf(HasSubstr("resnet18_plain on 2 ranks"),
                                          HasSubstr("; resnet18_plain has no batch norm.\ngradients only: "),
                                          HasSubstr("batch-norm buffers 38.56 kB in 1 call a step"),
                                          Not(HasSubstr("Networks with batch norm also send"))));
  EXPECT_THAT(AnswerQ7(lab).text(),
              AllOf(HasSubstr("buffers broadcast does not differ significantly"),
                    HasSubstr("\nWithout batch norm, nothing else differs between the ranks: 62.00 [60.00, 64.00] % "
                              "with gradients only, resnet18_plain on 2 ranks")));
}

TEST(SentencesTest, B2ToB5KeepNetworksApart) {
  EXPECT_THAT(AnswerB2(SmallLab()).text(),
              AllOf(HasSubstr("lenet5: -1.00 points (59.00 % with int8 weights, 60.00 % in fp32); of 1000 test images, "
                              "15 turned wrong and 5 right"),
                    HasSubstr("lenet5_bias: 0.00 points (70.00 % with int8 weights, 70.00 % in fp32)")));
  EXPECT_THAT(
      AnswerB5(SmallLab()).text(),
      AllOf(HasSubstr("lenet5_bias: -0.50 points with int32 bias instead of fp32 bias (69.50 %); all stages "
                      "together -1.00 points (69.00 % with int8 weights and activations and int32 bias, 70.00 % "
                      "in fp32); of 1000 test images, 12 turned wrong and 2 right"),
            Not(HasSubstr("lenet5: "))));
}

TEST(SentencesTest, SyntheticImagesAreCalledSo) {
  LabRecords lab = SmallLab();
  lab.datasets[0].info[1].set_input_format(proto::SYNTHETIC);
  EXPECT_THAT(AnswerB4(lab).text(), HasSubstr("synthetic test images"));
}

TEST(SentencesTest, RangesPerLayer) {
  EXPECT_THAT(AnswerB1(SmallLab()).text(), HasSubstr("lenet5: conv1 0.5000 (0.4000)"));
  EXPECT_THAT(AnswerB3(SmallLab()).text(), HasSubstr("lenet5: conv1 3.500 (2.500)"));
  LabRecords imported = SmallLab();
  for (proto::QuantizedNetwork& network : imported.quantized[0].networks) {
    network.set_onnx_form("QDQ");  // whose import measures no activations
  }
  EXPECT_THAT(AnswerB3(imported).text(), IsEmpty());
}

TEST(SentencesTest, OfManyLayersTheLeastTheMiddleAndTheLargestAreReported) {
  LabRecords lab = SmallLab();
  proto::QuantizedNetwork& network = lab.quantized[0].networks[0];
  const proto::QuantizedLayer layer = network.layer(0);
  network.clear_layer();
  for (const int number : {5, 1, 9, 3, 8, 2, 4, 7, 6}) {
    proto::QuantizedLayer& added = *network.add_layer() = layer;
    added.set_name(absl::StrCat("layer", number));
    added.set_max_abs_weight(number);
    added.set_weight_three_sigma(0.4);
  }
  const proto::Claim answer = AnswerB1(lab);
  EXPECT_THAT(
      answer.text(),
      HasSubstr("\nlenet5: 9 layers, smallest layer1 1.000 (0.4000), median layer5 5.000 (0.4000), largest layer9 "
                "9.000 (0.4000)\n"));
  ASSERT_EQ(answer.reference_size(), 2);
  EXPECT_EQ(answer.reference(0).what(), "All layers are listed");
  EXPECT_EQ(answer.reference(0).title(), "Ranges and scales per layer");
  network.mutable_layer()->DeleteSubrange(8, 1);
  ASSERT_EQ(AnswerB1(lab).reference_size(), 1);
  EXPECT_EQ(AnswerB1(lab).reference(0).what(), "The histograms are drawn");
  EXPECT_EQ(AnswerB1(lab).reference(0).title(), "Accuracy in int8");
}

// A reference names a part that the page has.
TEST(SentencesTest, EachReferenceIsTheBeginningOfATitle) {
  const LabRecords lab = SmallLab();
  std::vector<std::string> titles;
  const proto::Section section = Int8Section(lab);
  titles.push_back(section.title());
  for (const proto::Table& table : section.table()) {
    titles.push_back(table.caption());
  }
  for (const proto::Claim& claim : {AnswerB1(lab), AnswerB3(lab)}) {
    ASSERT_FALSE(claim.reference().empty());
    for (const proto::PartReference& reference : claim.reference()) {
      EXPECT_THAT(titles, Contains(StartsWith(reference.title())));
    }
  }
  EXPECT_THAT(titles, Contains(StartsWith("Ranges and scales per layer")));
}

}  // namespace
}  // namespace lockstep
