#include "lib/export/wandb_csv.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kStart[] = "# images_per_epoch = 50000\n\"Step\",\"made by Lockstep: report, wandb_csv\"";
constexpr char kColumns[] = "\"Step\",\"made by Lockstep: report, wandb_csv\"";

LabRecords TwoPoints() {
  LabRecords lab;
  LabSweep& sweep = lab.sweeps.emplace_back();
  sweep.input.set_path("sweep.rec");
  for (const uint32_t batch : {32, 128}) {
    proto::SweepPoint& point = sweep.points.emplace_back();
    point.set_batch_size(batch);
    point.set_images_per_epoch(50'000);
    proto::EpochResult& epoch = *point.add_epoch();
    epoch.set_mean_loss(batch == 32 ? 0.1 : 2.5);
    epoch.set_train_accuracy(0.5);
    epoch.set_learning_rate(0.01);
    epoch.set_train_seconds(batch == 32 ? 4 : 2);
  }
  proto::EpochResult& second = *sweep.points[0].add_epoch();
  second.set_epoch(1);
  second.set_train_seconds(3);
  second.set_test_accuracy(0.75);
  second.set_mirrored_test_accuracy(0.875);
  return lab;
}

TEST(WandbCsvTest, RunsAreColumnsAndEpochsRows) {
  const LabRecords lab = TwoPoints();
  const std::string a = "\"sweep.batch_32 - ", b = "\"sweep.batch_128 - ";
  EXPECT_EQ(WandbCsv(TrainedPointsOf(lab)), std::string(kStart) + "," + a + "train/loss\"," + a + "train/accuracy\"," +
                                                a + "test/accuracy\"," + a + "test/mirrored_accuracy\"," + a +
                                                "learning_rate\"," + a + "epoch_seconds\"," + b + "train/loss\"," + b +
                                                "train/accuracy\"," + b + "learning_rate\"," + b +
                                                "epoch_seconds\"\n"
                                                "1,,0.1,0.5,,,0.01,4,2.5,0.5,0.01,2\n"
                                                "2,,0,0,0.75,0.875,0,3,,,,\n");
}

TEST(WandbCsvTest, TheImagesAreStatedUnlessTheyDiffer) {
  LabRecords lab = TwoPoints();
  lab.sweeps[0].points[1].set_images_per_epoch(50'100);  // padded to a whole batch of 128
  EXPECT_THAT(WandbCsv(TrainedPointsOf(lab)), StartsWith(kStart));
  lab.sweeps[0].points[1].set_images_per_epoch(10'000);
  EXPECT_THAT(WandbCsv(TrainedPointsOf(lab)), StartsWith(kColumns));
}

TEST(WandbCsvTest, ATimeWithoutAllReducesIsNoTimeOfATraining) {
  LabRecords lab;
  LabScale& scale = lab.scales.emplace_back();
  scale.input.set_path("scale.rec");
  for (const proto::Reduction reduction : {proto::ABLATED, proto::ALL_REDUCE}) {
    proto::ScalePoint& point = scale.points.emplace_back();
    point.set_ranks(2);
    point.set_batch_per_device(32);
    point.set_reduction(reduction);
    point.add_epoch()->set_train_seconds(2);
  }
  const std::string text = WandbCsv(TrainedPointsOf(lab));
  EXPECT_THAT(text, HasSubstr("\"scale.2_ranks.batch_32.ablated - epoch_seconds_for_comparison\""));
  EXPECT_THAT(text, HasSubstr("\"scale.2_ranks.batch_32.all_reduce - epoch_seconds\""));
  EXPECT_THAT(text, Not(HasSubstr(".ablated - epoch_seconds\"")));
}

TEST(WandbCsvTest, RanksOfOneCpuAreStated) {
  LabRecords lab = TwoPoints();
  lab.sweeps[0].header.mutable_host()->set_cpu_cores(2);
  EXPECT_THAT(WandbCsv(TrainedPointsOf(lab)), Not(HasSubstr("shared_cpu_cores")));
  lab.sweeps[0].spec.mutable_training()->set_device(proto::CPU);
  EXPECT_THAT(WandbCsv(TrainedPointsOf(lab)), HasSubstr("\n# shared_cpu_cores = 2\n\"Step\""));
}

TEST(WandbCsvTest, TheStageReplacesItsOwnFileOnly) {
  const std::string records = testing::TempPath("records"), path = testing::TempPath("history.csv");
  std::filesystem::create_directories(records);
  const std::vector<std::string> inputs = testing::WriteSmallLab(records);
  ASSERT_THAT(RunWandbCsv(inputs, path, Force::kNo), IsOk());
  ASSERT_THAT(RunWandbCsv(inputs, path, Force::kNo), IsOk());
  EXPECT_THAT(testing::ReadFile(path), AllOf(StartsWith("# images_per_epoch = "), HasSubstr(kColumns)));
  testing::WriteFile(path, "\"Step\",\"a run - loss\"\n");
  EXPECT_THAT(RunWandbCsv(inputs, path, Force::kNo),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--force")));
}

TEST(WandbCsvTest, NothingTrainedIsRefused) {
  const std::string records = testing::TempPath("only_data");
  std::filesystem::create_directories(records);
  const std::string dataset = testing::WriteSmallLab(records)[0];
  EXPECT_THAT(RunWandbCsv({dataset}, testing::TempPath("none.csv"), Force::kNo),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("has epochs")));
}

}  // namespace
}  // namespace lockstep
