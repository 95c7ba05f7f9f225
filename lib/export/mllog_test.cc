#include "lib/export/mllog.h"

#include <filesystem>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/path.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Returns a lab with one point: two epochs of 2 s from second 100, the second with a test of 0.5 s.
LabRecords OnePoint() {
  LabRecords lab;
  LabSweep& sweep = lab.sweeps.emplace_back();
  sweep.input.set_path("sweep.rec");
  sweep.header.set_start_time("1970-01-01T00:01:40+00:00");
  sweep.spec.mutable_training()->set_model("lenet5");
  sweep.spec.mutable_training()->set_seed(3);
  sweep.spec.mutable_training()->set_learning_rate(0.1);
  sweep.spec.mutable_model()->set_test_images(10000);
  proto::SweepPoint& point = sweep.points.emplace_back();
  point.set_outcome(proto::COMPLETED);
  point.set_batch_size(32);
  point.set_images_per_epoch(50000);
  for (int i = 0; i < 2; ++i) {
    proto::EpochResult& epoch = *point.add_epoch();
    epoch.set_epoch(i);
    epoch.set_mean_loss(1.5);
    epoch.set_train_seconds(2);
  }
  point.mutable_epoch(1)->set_test_accuracy(0.25);
  point.mutable_epoch(1)->set_evaluate_seconds(0.5);
  return lab;
}

std::string TextOf(const LabRecords& lab) { return MllogText(TrainedPointsOf(lab).at(0)); }

std::string Line(const std::string& time, const std::string& type, const std::string& key, const std::string& value,
                 const std::string& more = "") {
  return ":::MLLOG {\"namespace\": \"\", \"time_ms\": " + time + ", \"event_type\": \"" + type + "\", \"key\": \"" +
         key + "\", \"value\": " + value + ", \"metadata\": {\"file\": \"sweep.rec\", \"lineno\": 1" + more + "}}\n";
}

TEST(MllogTest, IntervalsHaveTheLengthsOfTheRecord) {
  const std::string one = ", \"epoch_num\": 1", two = ", \"epoch_num\": 2";
  EXPECT_THAT(TextOf(OnePoint()),
              HasSubstr(Line("100000", "INTERVAL_START", "run_start", "null") +
                        Line("100000", "INTERVAL_START", "epoch_start", "null", one) +
                        Line("102000", "POINT_IN_TIME", "train_loss", "1.5", one) +
                        Line("102000", "INTERVAL_END", "epoch_stop", "null", one) +
                        Line("102000", "INTERVAL_START", "epoch_start", "null", two) +
                        Line("104000", "POINT_IN_TIME", "train_loss", "1.5", two) +
                        Line("104000", "INTERVAL_END", "epoch_stop", "null", two) +
                        Line("104000", "INTERVAL_START", "eval_start", "null", two) +
                        Line("104500", "POINT_IN_TIME", "eval_accuracy", "0.25", two) +
                        Line("104500", "INTERVAL_END", "eval_stop", "null", two) +
                        Line("104500", "INTERVAL_END", "run_stop", "null", ", \"status\": \"success\"")));
}

TEST(MllogTest, SettingsComeBeforeTheRun) {
  const std::string text = TextOf(OnePoint());
  const std::string settings = text.substr(0, text.find("run_start"));
  for (const std::string& line :
       {Line("100000", "POINT_IN_TIME", "submission_benchmark", "\"lenet5\""),
        Line("100000", "POINT_IN_TIME", "seed", "3"), Line("100000", "POINT_IN_TIME", "global_batch_size", "32"),
        Line("100000", "POINT_IN_TIME", "train_samples", "50000"),
        Line("100000", "POINT_IN_TIME", "eval_samples", "10000"),
        Line("100000", "POINT_IN_TIME", "opt_name", "\"sgd\""),
        Line("100000", "POINT_IN_TIME", "opt_base_learning_rate", "0.1"),
        Line("100000", "POINT_IN_TIME", "gradient_accumulation_steps", "1")}) {
    EXPECT_THAT(settings, HasSubstr(line));
  }
  EXPECT_THAT(settings, Not(HasSubstr("clip_norm")));
}

TEST(MllogTest, AFailedPointIsAborted) {
  LabRecords lab = OnePoint();
  lab.sweeps[0].points[0].set_outcome(proto::FAILED);
  EXPECT_THAT(TextOf(lab), HasSubstr("\"status\": \"aborted\""));
}

TEST(MllogTest, ALossThatIsNoNumberIsNull) {
  LabRecords lab = OnePoint();
  lab.sweeps[0].points[0].mutable_epoch(0)->set_mean_loss(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(TextOf(lab), HasSubstr("\"train_loss\", \"value\": null"));
}

TEST(MllogTest, TheStageWritesAFilePerPointAndKeepsOthersFiles) {
  const std::string records = testing::TempPath("records"), folder = testing::TempPath("mllog/deep");
  std::filesystem::create_directories(records);
  const std::vector<std::string> inputs = testing::WriteSmallLab(records);
  ASSERT_THAT(RunMllog(inputs, folder, Force::kNo), IsOk());
  ASSERT_THAT(RunMllog(inputs, folder, Force::kNo), IsOk());  // its own files
  const std::string path = JoinPath(folder, "sweep.batch_32.txt");
  EXPECT_THAT(testing::ReadFile(path), StartsWith("# made by Lockstep: report, mllog\n:::MLLOG {"));
  testing::WriteFile(path, "of a user");
  EXPECT_THAT(RunMllog(inputs, folder, Force::kNo), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--force")));
  EXPECT_EQ(testing::ReadFile(path), "of a user");
  EXPECT_THAT(RunMllog(inputs, folder, Force::kYes), IsOk());
}

TEST(MllogTest, NothingTrainedIsRefused) {
  const std::string records = testing::TempPath("only_data");
  std::filesystem::create_directories(records);
  const std::string dataset = testing::WriteSmallLab(records)[0];
  EXPECT_THAT(RunMllog({dataset}, testing::TempPath("none"), Force::kNo),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--mllog: no record of --input has epochs")));
}

}  // namespace
}  // namespace lockstep
