#include "lib/train/training_run.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/dataset/small_dataset.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;

// Fails in its first epoch, and tells when it is destroyed.
class FailingTrainer : public EpochTrainer {
 public:
  explicit FailingTrainer(std::vector<std::string>& told) : told_(told) {}
  ~FailingTrainer() override { told_.push_back("destroyed"); }

  absl::StatusOr<EpochTimes> Train(uint32_t, Progress&) override { return absl::UnavailableError("rank 1 is silent"); }
  absl::Status UpdateModel() override { return absl::OkStatus(); }
  absl::StatusOr<TrainingArrays> GetState() override { return TrainingArrays(); }
  absl::Status SetState(const TrainingArrays&) override { return absl::OkStatus(); }
  void Describe(proto::SweepPoint&) const override {}

 private:
  std::vector<std::string>& told_;
};

// What it holds may wait for a rank that is stopped as it is destroyed.
TEST(RunTrainingTest, AnErrorIsToldBeforeTheTrainerGoes) {
  std::vector<std::string> told;
  TrainingRunOptions run;
  run.order.set_batch_size(4);
  run.order.mutable_spec()->mutable_training()->set_repeats(1);
  run.make_trainer = [&](const TrainerInput&) -> absl::StatusOr<std::unique_ptr<EpochTrainer>> {
    return std::make_unique<FailingTrainer>(told);
  };
  run.failed = [&](const absl::Status& error) { told.push_back(std::string(error.message())); };
  proto::SweepPoint point;
  EXPECT_THAT(RunTraining(run, SmallDataset(8, 4), *MakeModel("lenet5", 1), point),
              StatusIs(absl::StatusCode::kUnavailable, "rank 1 is silent"));
  EXPECT_THAT(told, ElementsAre("rank 1 is silent", "destroyed"));
}

}  // namespace
}  // namespace lockstep
