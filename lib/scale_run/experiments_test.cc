#include "lib/scale_run/experiments.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"
#include "lib/train/schedule.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kImages = 50'000;

proto::ScaleSpec Spec(proto::Experiment experiment, std::vector<uint32_t> batches) {
  proto::ScaleSpec spec;
  spec.set_mode(proto::DDP);
  spec.set_experiment(experiment);
  spec.set_seeds(2);
  spec.add_ranks(2);
  spec.mutable_batch_size()->Add(batches.begin(), batches.end());
  spec.set_buffers("local");
  spec.mutable_training()->set_model("resnet18");
  spec.mutable_training()->set_learning_rate(0.1);
  spec.mutable_training()->set_seed(5);
  EXPECT_THAT(SetEpochs(5, 0, *spec.mutable_training()), IsOk());
  return spec;
}

std::map<std::string, proto::ScalePoint> FirstOfRow(const std::vector<proto::ScalePoint>& points) {
  std::map<std::string, proto::ScalePoint> rows;
  for (const proto::ScalePoint& point : points) {
    rows.emplace(point.row(), point);
  }
  return rows;
}

TEST(ExperimentsTest, LargeBatchesAreTrainedAsTheyAreAndWithEachRemedy) {
  const auto plan = PlanExperiment(Spec(proto::LARGE_BATCH, {128, 8192}), {}, kImages);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->left_out, IsEmpty());
  const auto rows = FirstOfRow(plan->points);
  EXPECT_EQ(rows.size(), 4u + 1 + 7 + 2 + 3);
  EXPECT_EQ(plan->points.size(), 2 * rows.size());
  EXPECT_EQ(plan->points[0].training().seed(), 5);
  EXPECT_EQ(plan->points[1].training().seed(), 6);
  EXPECT_EQ(rows.at("128").batch_per_device(), 64);
  EXPECT_EQ(rows.at("128").reduction(), proto::ALL_REDUCE);
  EXPECT_EQ(rows.at("128").steps_per_epoch(), 391);
  EXPECT_EQ(rows.at("8192").global_batch(), 8192);
  EXPECT_EQ(rows.at("8192").training().learning_rate(), 0.1);
  EXPECT_DOUBLE_EQ(rows.at("8192, linear rate").training().learning_rate(), 6.4);
  EXPECT_EQ(rows.at("8192, warm-up").training().lr_warmup_epochs(), 1);
  EXPECT_TRUE(rows.at("8192, zero gamma").training().zero_gamma());
  EXPECT_EQ(rows.at("8192, ghost batch norm").training().accumulate(), 32);  // 4,096 images per rank, 128 at a time
  EXPECT_GT(rows.at("8192, clipping").training().clip_norm(), 0);
  EXPECT_GT(rows.at("8192, LARS").training().lars(), 0);
  EXPECT_DOUBLE_EQ(rows.at("8192, LARS").training().learning_rate(), 2.5);
  const proto::TrainingSpec& both = rows.at("8192, clipping and ghost batch norm").training();
  EXPECT_TRUE(both.clip_norm() > 0 && both.accumulate() == 32 && both.learning_rate() == 0.1);
  EXPECT_GT(rows.at("8192, label smoothing").training().label_smoothing(), 0);
  const proto::TrainingSpec& all = rows.at("8192, all").training();
  EXPECT_TRUE(all.zero_gamma() && all.accumulate() == 32 && all.clip_norm() > 0 && all.label_smoothing() > 0);
  EXPECT_EQ(all.lars(), 0);
  EXPECT_DOUBLE_EQ(all.learning_rate(), 1.6);  // twice the square root of 64
}

// Goyal et al. 2017: the rate rises from the base batch's rate to 64 times that rate.
TEST(ExperimentsTest, TheLinearRateRisesFromTheBaseRate) {
  const auto plan = PlanExperiment(Spec(proto::LARGE_BATCH, {128, 8192}),
                                   {"8192, linear rate and warm-up", "8192, warm-up"}, kImages);
  ASSERT_THAT(plan, IsOk());
  const auto rows = FirstOfRow(plan->points);
  const proto::TrainingSpec& both = rows.at("8192, linear rate and warm-up").training();
  EXPECT_DOUBLE_EQ(both.learning_rate(), 6.4);
  EXPECT_DOUBLE_EQ(both.lr_warmup_start(), 0.1);
  EXPECT_DOUBLE_EQ(LearningRateOf(both, 7, 0, 0), 0.1);
  EXPECT_EQ(rows.at("8192, warm-up").training().lr_warmup_start(), 0);
}

TEST(ExperimentsTest, LeNet5HasNoRemediesOfBatchNorm) {
  proto::ScaleSpec spec = Spec(proto::LARGE_BATCH, {128, 8192});
  spec.mutable_training()->set_model("lenet5");
  const auto plan = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->left_out,
              ElementsAre("row '8192, zero gamma': lenet5 has no batch norm; the rows with all remedies omit it",
                          "row '8192, ghost batch norm': lenet5 has no batch norm; the rows with all remedies omit it",
                          "row '8192, clipping and ghost batch norm': lenet5 has no batch norm"));
  const auto rows = FirstOfRow(plan->points);
  EXPECT_EQ(rows.size(), 4u + 1 + 5 + 1 + 3);
  const proto::TrainingSpec& all = rows.at("8192, all").training();
  EXPECT_FALSE(all.zero_gamma());
  EXPECT_LE(all.accumulate(), 1u);
  EXPECT_GT(all.clip_norm(), 0);
  spec = Spec(proto::WHAT_IS_SENT, {128});
  spec.mutable_training()->set_model("lenet5");
  const auto sent = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(sent, IsOk());
  EXPECT_EQ(FirstOfRow(sent->points).size(), 1);
  EXPECT_THAT(sent->left_out, ElementsAre("row 'buffers broadcast': lenet5 has no batch norm",
                                          "row 'batch norm over all ranks': lenet5 has no batch norm"));
}

// Returns the number of micro-batches of each of two ranks, or the reason why there are none.
std::string GhostsOf(uint32_t batch) {
  const std::string row = absl::StrCat(batch, ", ghost batch norm");
  const auto plan = PlanExperiment(Spec(proto::LARGE_BATCH, {2, batch}), {}, kImages);
  EXPECT_THAT(plan, IsOk());
  const auto rows = FirstOfRow(plan->points);
  if (const auto found = rows.find(row); found != rows.end()) {
    EXPECT_EQ(rows.at(absl::StrCat(batch, ", all")).training().accumulate(), found->second.training().accumulate());
    return absl::StrCat(found->second.training().accumulate());
  }
  EXPECT_LE(rows.at(absl::StrCat(batch, ", all")).training().accumulate(), 1u);
  const auto asked = PlanExperiment(Spec(proto::LARGE_BATCH, {2, batch}), {row}, kImages);
  EXPECT_EQ(asked.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(asked.status().message());
}

TEST(ExperimentsTest, GhostBatchNormCutsARanksBatchByItsLargestDivisor) {
  EXPECT_EQ(GhostsOf(512), "2");     // 256 by 128
  EXPECT_EQ(GhostsOf(2000), "8");    // 1,000 by 125
  EXPECT_EQ(GhostsOf(10000), "40");  // 5,000 by 125
  EXPECT_EQ(GhostsOf(544), "4");     // 272 by 68
  EXPECT_EQ(GhostsOf(514),
            "--rows names '514, ghost batch norm', which is left out: a rank's batch of 257 has no "
            "divisor from 16 to 128 for its ghost batches; the rows with all remedies omit it");
  EXPECT_EQ(GhostsOf(256),
            "--rows names '256, ghost batch norm', which is left out: a rank's batch of 128 is not larger than the 128 "
            "images of a ghost batch; the rows with all remedies omit it");
}

// An epoch has 7 steps: 280 epochs are the smallest number with at least 1,955 updates.
TEST(ExperimentsTest, LongerRowsMakeTheUpdatesOfTheBaseline) {
  const auto plan =
      PlanExperiment(Spec(proto::LARGE_BATCH, {128, 8192}), {"8192, longer", "8192, all, longer"}, kImages);
  ASSERT_THAT(plan, IsOk());
  ASSERT_EQ(plan->points.size(), 4);
  for (const proto::ScalePoint& point : plan->points) {
    EXPECT_EQ(TotalEpochs(point.training()), 280);
    EXPECT_GE(TotalEpochs(point.training()) * point.steps_per_epoch(), 1955);
  }
  EXPECT_EQ(plan->points.back().training().lr_warmup_epochs(), 28);
}

// Every row has a base row that differs from it only in the remedy.
TEST(ExperimentsTest, EachRowHasABaseOfItsScheduleAndEpochs) {
  const auto plan = PlanExperiment(Spec(proto::LARGE_BATCH, {128, 8192, 16384}), {}, kImages);
  ASSERT_THAT(plan, IsOk());
  const auto rows = FirstOfRow(plan->points);
  for (const char* name : {"128", "128, cosine", "128, longer (as 8192)", "128, cosine, longer (as 8192)",
                           "128, longer (as 16384)", "128, cosine, longer (as 16384)"}) {
    ASSERT_EQ(rows.count(name), 1) << name;
    EXPECT_EQ(rows.at(name).global_batch(), 128);
    EXPECT_EQ(rows.at(name).training().learning_rate(), 0.1);
  }
  for (const auto& [name, row] : rows) {
    const auto is_base = [&row = row](const auto& other) {
      const proto::TrainingSpec &base = other.second.training(), &training = row.training();
      return other.second.global_batch() == 128 && base.schedule() == training.schedule() &&
             TotalEpochs(base) == TotalEpochs(training) && base.lr_warmup_epochs() == 0;
    };
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(), is_base), 1) << name;
  }
  EXPECT_EQ(TotalEpochs(rows.at("128, cosine, longer (as 16384)").training()), 489);  // 4 steps an epoch
}

// The names of the longer rows do not contain the batch if there is only one large batch.
TEST(ExperimentsTest, TheBaseRowsOfOneLargeBatch) {
  const auto plan =
      PlanExperiment(Spec(proto::LARGE_BATCH, {128, 8192}), {"128, cosine, longer", "128, longer"}, kImages);
  ASSERT_THAT(plan, IsOk());
  const auto rows = FirstOfRow(plan->points);
  EXPECT_EQ(TotalEpochs(rows.at("128, cosine, longer").training()), 280);
  EXPECT_EQ(rows.at("128, cosine, longer").training().schedule(), proto::COSINE);
  EXPECT_EQ(TotalEpochs(rows.at("128, longer").training()), 280);
}

TEST(ExperimentsTest, ARowThatChangesNothingIsLeftOut) {
  proto::ScaleSpec spec = Spec(proto::LARGE_BATCH, {128, 8192});
  spec.mutable_training()->set_schedule(proto::COSINE);
  spec.mutable_training()->set_clip_norm(1);
  const auto plan = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->left_out, ElementsAre("row '128, cosine': every row has that schedule",
                                          "row '128, cosine, longer': every row has that schedule",
                                          "row '8192, clipping': every row has it"));
  const auto equal = PlanExperiment(Spec(proto::LARGE_BATCH, {4000, 5000}), {}, 5000);  // 2 steps an epoch and 1
  ASSERT_THAT(equal, IsOk());
  EXPECT_THAT(equal->left_out, IsEmpty());
  const auto none = PlanExperiment(Spec(proto::LARGE_BATCH, {4000, 4800}), {}, 5000);  // 2 steps both
  ASSERT_THAT(none, IsOk());
  EXPECT_THAT(none->left_out,
              ElementsAre("row '4000, longer': 5 epochs make as many updates as the first batch already",
                          "row '4000, cosine, longer': 5 epochs make as many updates as the first batch already",
                          "row '4800, longer': 5 epochs make as many updates as the first batch already",
                          "row '4800, all, longer': 5 epochs make as many updates as the first batch already"));
}

TEST(ExperimentsTest, AScheduleWithAWarmUpGetsNoOther) {
  proto::ScaleSpec spec = Spec(proto::LARGE_BATCH, {128, 8192});
  spec.mutable_training()->set_schedule(proto::ONE_CYCLE);
  const auto plan = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->left_out, Contains(HasSubstr("row '8192, warm-up': --schedule=one_cycle has its own warm-up")));
  for (const proto::ScalePoint& point : plan->points) {
    EXPECT_THAT(CheckSchedule(point.training()), IsOk()) << point.row();
  }
}

// The cosine of the row with all remedies takes the place of the linear schedule, with its own warm-up.
TEST(ExperimentsTest, ALinearScheduleWithAWarmUpGetsNoOther) {
  proto::ScaleSpec spec = Spec(proto::LARGE_BATCH, {128, 8192});
  spec.mutable_training()->set_schedule(proto::LINEAR);
  spec.mutable_training()->set_lr_warmup_share(0.2);
  spec.mutable_training()->set_lr_warmup_start(0.01);
  const auto plan = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->left_out, Contains(HasSubstr("row '8192, warm-up': --lr_warmup_share is a warm-up already")));
  const auto rows = FirstOfRow(plan->points);
  EXPECT_EQ(rows.at("8192, all").training().lr_warmup_share(), 0);
  EXPECT_EQ(rows.at("8192, all").training().lr_warmup_start(), 0);
  EXPECT_EQ(rows.at("8192, all").training().lr_warmup_epochs(), 1);
  for (const proto::ScalePoint& point : plan->points) {
    EXPECT_THAT(CheckSchedule(point.training()), IsOk()) << point.row();
  }
}

// An epoch of 5,000 images has 9 updates with a batch of 624, and one update with a batch of 5,000.
TEST(ExperimentsTest, TheBaselineIsThatOfTheImages) {
  const auto plan = PlanExperiment(Spec(proto::LARGE_BATCH, {624, 5000}), {"624", "5000, longer"}, 5000);
  ASSERT_THAT(plan, IsOk());
  const auto rows = FirstOfRow(plan->points);
  const proto::ScalePoint &base = rows.at("624"), &longer = rows.at("5000, longer");
  EXPECT_EQ(longer.steps_per_epoch(), 1);
  EXPECT_EQ(TotalEpochs(longer.training()), TotalEpochs(base.training()) * base.steps_per_epoch());
}

TEST(ExperimentsTest, TheOthersHaveRowsOfTheirOwn) {
  const auto sampler = PlanExperiment(Spec(proto::SAMPLER_EPOCH, {128}), {}, kImages);
  ASSERT_THAT(sampler, IsOk());
  ASSERT_EQ(sampler->points.size(), 4);
  EXPECT_FALSE(sampler->points[0].training().no_set_epoch());
  EXPECT_TRUE(sampler->points[2].training().no_set_epoch());
  const auto sent = PlanExperiment(Spec(proto::WHAT_IS_SENT, {128}), {"buffers broadcast"}, kImages);
  ASSERT_THAT(sent, IsOk());
  ASSERT_EQ(sent->points.size(), 2);
  EXPECT_EQ(sent->points[0].buffers(), "broadcast");
}

TEST(ExperimentsTest, EachOptimizerHasItsOwnLearningRate) {
  proto::ScaleSpec spec = Spec(proto::OPTIMIZERS, {128});
  spec.mutable_training()->set_momentum(0.9);
  const auto plan = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->left_out, IsEmpty());
  const auto rows = FirstOfRow(plan->points);
  EXPECT_EQ(rows.size(), 7);
  EXPECT_EQ(rows.at("nesterov").training().learning_rate(), 0.1);
  EXPECT_EQ(rows.at("nesterov").training().momentum(), 0.9);
  EXPECT_EQ(rows.at("adam").training().optimizer(), proto::ADAM);
  EXPECT_EQ(rows.at("adam").training().learning_rate(), 1e-3);
  EXPECT_EQ(rows.at("adam").training().momentum(), 0);
}

TEST(ExperimentsTest, TheFusedStepHasNoAdaptiveOptimizers) {
  proto::ScaleSpec spec = Spec(proto::OPTIMIZERS, {128});
  spec.mutable_training()->set_step(proto::FUSED);
  const auto plan = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(FirstOfRow(plan->points).size(), 2);
  EXPECT_EQ(plan->left_out.size(), 5);
}

TEST(ExperimentsTest, RefusesWhatIsNoExperiment) {
  proto::ScaleSpec spec = Spec(proto::SAMPLER_EPOCH, {128, 256});
  EXPECT_THAT(PlanExperiment(spec, {}, kImages), StatusIs(absl::StatusCode::kInvalidArgument,
                                                          HasSubstr("--experiment=sampler_epoch trains at one batch")));
  EXPECT_THAT(PlanExperiment(Spec(proto::LARGE_BATCH, {128}), {"256"}, kImages),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'256'; expected some of: 128")));
  EXPECT_THAT(PlanExperiment(Spec(proto::WHAT_IS_SENT, {128}), {"buffers_broadcast"}, kImages),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("; did you mean buffers broadcast?")));
  spec = Spec(proto::WHAT_IS_SENT, {128});
  spec.add_ranks(1);
  EXPECT_THAT(PlanExperiment(spec, {}, kImages),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found --ranks=2,1")));
  EXPECT_THAT(
      PlanExperiment(Spec(proto::LARGE_BATCH, {8192, 128}), {}, kImages),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--batch_size=8192,128; give the smallest first")));
  spec = Spec(proto::SAMPLER_EPOCH, {128});
  spec.mutable_training()->set_no_set_epoch(true);
  EXPECT_THAT(PlanExperiment(spec, {}, kImages),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--no_set_epoch")));
  spec = Spec(proto::WHAT_IS_SENT, {128});
  spec.set_seeds(0);
  EXPECT_THAT(PlanExperiment(spec, {}, kImages), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--seeds=0")));
}

proto::ScalePoint Trained(const std::string& row, uint64_t seed, double loss, double test) {
  proto::ScalePoint point;
  point.set_row(row);
  point.mutable_training()->set_seed(seed);
  point.set_steps_per_epoch(7);
  for (int e = 0; e < 6; ++e) {
    proto::EpochResult& epoch = *point.add_epoch();
    epoch.set_mean_loss(e == 4 ? loss : 9);
    epoch.set_train_accuracy(0.25);
    epoch.set_train_seconds(0.5);
  }
  point.mutable_epoch(5)->set_test_accuracy(test);
  return point;
}

TEST(ExperimentsTest, TheTableHasAMeanAndARangeForEachRow) {
  const proto::ScaleSpec spec = Spec(proto::LARGE_BATCH, {128, 8192});
  const std::string table =
      ExperimentTable(spec, {Trained("128", 5, 1, 0.5), Trained("128", 6, 2, 0.75), Trained("8192", 5, 2.25, 0.125)});
  EXPECT_THAT(table,
              HasSubstr("  128: 6 epochs, 42 updates; epoch 5: loss 1.5000 (1.0000 to 2.0000), train 25.00 (25.00 "
                        "to 25.00) %; test 62.50 (50.00 to 75.00) %; 3.00 (3.00 to 3.00) s\n"));
  EXPECT_THAT(table,
              HasSubstr("  8192: 6 epochs, 42 updates; epoch 5: loss 2.2500, train 25.00 %; test 12.50 %; 3.00 s "
                        "[1 of 2 seeds]\n"));
}

TEST(ExperimentsTest, TheTableHasTheAccuracyOnHeldOutImages) {
  std::vector<proto::ScalePoint> points = {Trained("128", 5, 1, 0.5), Trained("128", 6, 2, 0.75)};
  points[0].mutable_epoch(5)->set_validation_accuracy(0.25);
  points[1].mutable_epoch(5)->set_validation_accuracy(0.5);
  EXPECT_THAT(ExperimentTable(Spec(proto::LARGE_BATCH, {128}), points),
              HasSubstr("; test 62.50 (50.00 to 75.00) %; validation 37.50 (25.00 to 50.00) %; 3.00"));
}

}  // namespace
}  // namespace lockstep
