#include "lib/dist/experiments.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"
#include "lib/train/schedule.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  const auto points = PlanExperiment(Spec(proto::LARGE_BATCH, {128, 8192}), {}, kImages);
  ASSERT_THAT(points, IsOk());
  const auto rows = FirstOfRow(*points);
  EXPECT_EQ(rows.size(), 1u + 1 + 7 + 2 + 3);
  EXPECT_EQ(points->size(), 2 * rows.size());
  EXPECT_EQ((*points)[0].training().seed(), 5);
  EXPECT_EQ((*points)[1].training().seed(), 6);
  EXPECT_EQ(rows.at("128").batch_per_device(), 64);
  EXPECT_EQ(rows.at("128").reduction(), proto::ALL_REDUCE);
  EXPECT_EQ(rows.at("128").steps_per_epoch(), 391);
  EXPECT_EQ(rows.at("8192").global_batch(), 8192);
  EXPECT_EQ(rows.at("8192").training().learning_rate(), 0.1);
  EXPECT_DOUBLE_EQ(rows.at("8192, linear rate").training().learning_rate(), 6.4);
  EXPECT_EQ(rows.at("8192, warm-up").training().lr_warmup_epochs(), 1);
  EXPECT_TRUE(rows.at("8192, zero gamma").training().zero_gamma());
  EXPECT_EQ(rows.at("8192, ghost batch norm").training().accumulate(), 32);  // 4,096 images a rank, 128 at a time
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

TEST(ExperimentsTest, LeNet5HasNoRemediesOfResidualNetworks) {
  proto::ScaleSpec spec = Spec(proto::LARGE_BATCH, {128, 8192});
  spec.mutable_training()->set_model("lenet5");
  const auto points = PlanExperiment(spec, {}, kImages);
  ASSERT_THAT(points, IsOk());
  const auto rows = FirstOfRow(*points);
  EXPECT_EQ(rows.size(), 1u + 1 + 5 + 1 + 3);
  const proto::TrainingSpec& all = rows.at("8192, all").training();
  EXPECT_FALSE(all.zero_gamma());
  EXPECT_LE(all.accumulate(), 1u);
  EXPECT_GT(all.clip_norm(), 0);
}

// 7 steps an epoch: 280 epochs are the first with 1,955 updates.
TEST(ExperimentsTest, LongerRowsMakeTheUpdatesOfTheBaseline) {
  const auto points =
      PlanExperiment(Spec(proto::LARGE_BATCH, {128, 8192}), {"8192, longer", "8192, all, longer"}, kImages);
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 4);
  for (const proto::ScalePoint& point : *points) {
    EXPECT_EQ(TotalEpochs(point.training()), 280);
    EXPECT_GE(TotalEpochs(point.training()) * point.steps_per_epoch(), 1955);
  }
  EXPECT_EQ(points->back().training().lr_warmup_epochs(), 28);
}

// A batch of 624 makes 9 updates in an epoch of 5,000 images, one of 5,000 makes one.
TEST(ExperimentsTest, TheBaselineIsThatOfTheImages) {
  const auto points = PlanExperiment(Spec(proto::LARGE_BATCH, {624, 5000}), {"624", "5000, longer"}, 5000);
  ASSERT_THAT(points, IsOk());
  const auto rows = FirstOfRow(*points);
  const proto::ScalePoint &base = rows.at("624"), &longer = rows.at("5000, longer");
  EXPECT_EQ(longer.steps_per_epoch(), 1);
  EXPECT_EQ(TotalEpochs(longer.training()), TotalEpochs(base.training()) * base.steps_per_epoch());
}

TEST(ExperimentsTest, TheOthersHaveRowsOfTheirOwn) {
  const auto sampler = PlanExperiment(Spec(proto::SAMPLER_EPOCH, {128}), {}, kImages);
  ASSERT_THAT(sampler, IsOk());
  ASSERT_EQ(sampler->size(), 4);
  EXPECT_FALSE((*sampler)[0].training().fixed_order());
  EXPECT_TRUE((*sampler)[2].training().fixed_order());
  const auto sent = PlanExperiment(Spec(proto::WHAT_IS_SENT, {128}), {"buffers broadcast"}, kImages);
  ASSERT_THAT(sent, IsOk());
  ASSERT_EQ(sent->size(), 2);
  EXPECT_EQ((*sent)[0].buffers(), "broadcast");
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

}  // namespace
}  // namespace lockstep
