#include "lib/train/training_run.h"

#include <ATen/Context.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;

// Trainer that fails in its first epoch, and records its destruction.
class FailingTrainer : public EpochTrainer {
 public:
  explicit FailingTrainer(std::vector<std::string>& events) : events_(events) {}
  ~FailingTrainer() override { events_.push_back("destroyed"); }

  absl::StatusOr<EpochTimes> Train(uint32_t, Progress&) override { return absl::UnavailableError("rank 1 is silent"); }
  absl::Status UpdateModel() override { return absl::OkStatus(); }
  absl::StatusOr<TrainingArrays> GetState() override { return TrainingArrays(); }
  absl::Status SetState(const TrainingArrays&) override { return absl::OkStatus(); }
  void Describe(proto::SweepPoint&) const override {}

 private:
  std::vector<std::string>& events_;
};

// Destroying the trainer may block, because its resources may wait for a rank that has stopped.
TEST(RunTrainingTest, AnErrorIsReportedBeforeTheTrainerIsDestroyed) {
  std::vector<std::string> events;
  TrainingRunOptions run;
  run.order.set_batch_size(4);
  run.order.mutable_spec()->mutable_training()->set_repeats(1);
  run.make_trainer = [&](const TrainerInput&) -> absl::StatusOr<std::unique_ptr<EpochTrainer>> {
    return std::make_unique<FailingTrainer>(events);
  };
  run.failed = [&](const absl::Status& error) { events.push_back(std::string(error.message())); };
  proto::SweepPoint point;
  EXPECT_THAT(RunTraining(run, SmallDataset(8, 4), *MakeModel("lenet5", 1), point),
              StatusIs(absl::StatusCode::kUnavailable, "rank 1 is silent"));
  EXPECT_THAT(events, ElementsAre("rank 1 is silent", "destroyed"));
}

// Trainer whose epochs do nothing and whose instrumented epoch fails; on a GPU, with a kernel that makes the GPU
// unusable for the process.
class FailsInInstrumentedEpoch : public EpochTrainer {
 public:
  explicit FailsInInstrumentedEpoch(c10::Device device) : device_(device) {}

  absl::StatusOr<EpochTimes> Train(uint32_t, Progress&) override {
    EpochTimes times;
    times.epoch_seconds = times.step_seconds = 1;
    times.steps = 2;
    times.images = 8;
    return times;
  }
  absl::StatusOr<std::optional<InstrumentedSteps>> TrainInstrumented(uint32_t) override {
    if (device_.is_cuda()) {
      const at::TensorOptions there = at::TensorOptions().device(device_);
      at::index_select(at::zeros({4}, there), 0, at::full({1}, 9, there.dtype(at::kLong)));
    }
    return absl::InternalError("the clock ran backwards");
  }
  absl::Status UpdateModel() override { return absl::OkStatus(); }
  absl::StatusOr<TrainingArrays> GetState() override { return TrainingArrays(); }
  absl::Status SetState(const TrainingArrays&) override { return absl::OkStatus(); }
  void Describe(proto::SweepPoint&) const override {}

 private:
  const c10::Device device_;
};

// Trainer with a forward pass of its own, which finds a fixed number of correct images, and records the calls.
class EvaluatingTrainer : public EpochTrainer {
 public:
  EvaluatingTrainer(const TrainerInput& input, std::vector<std::string>& events) : input_(input), events_(events) {}

  absl::StatusOr<EpochTimes> Train(uint32_t, Progress&) override {
    EpochTimes times;
    times.epoch_seconds = times.step_seconds = 1;
    times.steps = 2;
    times.images = 8;
    return times;
  }
  absl::StatusOr<std::optional<InstrumentedSteps>> TrainInstrumented(uint32_t) override {
    events_.push_back("instrumented");
    return std::nullopt;
  }
  absl::Status UpdateModel() override {
    events_.push_back("fetched");
    return absl::OkStatus();
  }
  absl::StatusOr<CorrectCounts> CountCorrect(size_t set) override {
    const EvaluatedImages& evaluated = input_.evaluated[set];
    events_.push_back(absl::StrCat("counted ", evaluated.images->size(), evaluated.mirrored ? " mirrored" : ""));
    return CorrectCounts{3, evaluated.mirrored ? 2 : 0};
  }
  absl::StatusOr<TrainingArrays> GetState() override { return TrainingArrays(); }
  absl::Status SetState(const TrainingArrays&) override { return absl::OkStatus(); }
  void Describe(proto::SweepPoint&) const override {}

 private:
  const TrainerInput input_;
  std::vector<std::string>& events_;
};

// Runs two epochs, with an evaluation after each if `every`.
proto::SweepPoint EvaluatedPoint(const Dataset& dataset, bool every, bool mirrored, std::vector<std::string>& events) {
  TrainingRunOptions run;
  run.order.set_state_every(1);
  run.order.set_batch_size(4);
  run.order.set_evaluate(true);
  run.order.mutable_spec()->set_evaluate_every(every ? 1 : 0);
  proto::TrainingSpec& training = *run.order.mutable_spec()->mutable_training();
  training.set_repeats(2);
  training.set_evaluation(proto::FUSED);
  training.set_evaluate_mirrored(mirrored);
  run.make_trainer = [&](const TrainerInput& input) -> absl::StatusOr<std::unique_ptr<EpochTrainer>> {
    return std::make_unique<EvaluatingTrainer>(input, events);
  };
  proto::SweepPoint point;
  EXPECT_THAT(RunTraining(run, dataset, *MakeModel("lenet5", 1), point), IsOk());
  return point;
}

// The weights are fetched once, at the end, and before the instrumented epoch changes them.
TEST(RunTrainingTest, TheTrainerEvaluatesWithItsOwnForwardPass) {
  std::vector<std::string> events;
  const proto::SweepPoint point = EvaluatedPoint(SmallDataset(8, 4), true, true, events);
  EXPECT_THAT(events, ElementsAre("counted 4 mirrored", "counted 4 mirrored", "fetched", "instrumented"));
  ASSERT_EQ(point.epoch_size(), 2);
  for (const proto::EpochResult& epoch : point.epoch()) {
    EXPECT_EQ(epoch.test_accuracy(), 0.75);
    EXPECT_EQ(epoch.mirrored_test_accuracy(), 0.5);
    EXPECT_GT(epoch.evaluate_seconds(), 0);
    EXPECT_EQ(epoch.train_seconds(), 1);
  }
}

TEST(RunTrainingTest, TheTrainerEvaluatesTheHeldOutImagesWithoutMirrorImages) {
  std::vector<std::string> events;
  Dataset dataset = SmallDataset(8, 4);
  dataset.validation = SmallDataset(8, 6).test;
  const proto::SweepPoint point = EvaluatedPoint(dataset, false, false, events);
  EXPECT_THAT(events, ElementsAre("counted 4", "counted 6", "fetched", "instrumented"));
  EXPECT_EQ(point.epoch(1).test_accuracy(), 0.75);
  EXPECT_FALSE(point.epoch(1).has_mirrored_test_accuracy());
  EXPECT_EQ(point.epoch(1).validation_accuracy(), 0.5);
  EXPECT_FALSE(point.epoch(0).has_test_accuracy());
}

absl::Status RunWithFailingInstrumentedEpoch(c10::Device device, proto::SweepPoint& point) {
  TrainingRunOptions run;
  run.device = device;
  run.order.set_state_every(1);
  run.order.set_batch_size(4);
  run.order.mutable_spec()->mutable_training()->set_repeats(1);
  run.make_trainer = [device](const TrainerInput&) -> absl::StatusOr<std::unique_ptr<EpochTrainer>> {
    return std::make_unique<FailsInInstrumentedEpoch>(device);
  };
  return RunTraining(run, SmallDataset(8, 4), *MakeModel("lenet5", 1), point);
}

TEST(RunTrainingTest, AFailedInstrumentedEpochIsNoFailureOfThePoint) {
  proto::SweepPoint point;
  EXPECT_THAT(RunWithFailingInstrumentedEpoch(c10::Device(c10::kCPU), point), IsOk());
  EXPECT_EQ(point.epoch_seconds().value_size(), 1);
  EXPECT_EQ(point.step_parts().absent_reason(), "the clock ran backwards");
}

// Runs in its own process, whose GPU is unusable afterwards.
TEST(RunTrainingDeathTest, AGpuThatTheInstrumentedEpochBrokeIsNamedAtOnce) {
  if (!at::hasCUDA()) {
    GTEST_SKIP() << "no CUDA device";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    proto::SweepPoint point;
    std::fprintf(stderr, "%s\n", RunWithFailingInstrumentedEpoch(c10::Device(c10::kCUDA, 0), point).ToString().c_str());
    std::_Exit(7);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(7), "INTERNAL: the instrumented epoch: the clock ran backwards");
}

}  // namespace
}  // namespace lockstep
