#include "lib/train/autograd_trainer.h"

#include <string>

#include "absl/strings/match.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

class AutogradTrainerTest : public ::testing::Test {
 protected:
  // Uses a network with batch norm, so that running statistics are part of the state.
  TrainerInput Input(const std::string& model = "resnet18") {
    TrainerInput input;
    input.spec.set_model(model);
    input.spec.set_precision(proto::FP32);
    input.spec.set_learning_rate(0.05);
    input.spec.set_momentum(0.9);
    input.spec.set_schedule(proto::COSINE);
    input.spec.set_repeats(3);
    input.loader.batch_size = 4;
    input.loader.workers = 0;
    input.loader.augment = true;
    EXPECT_THAT(NormalizeAsTrained(images_.info, input.loader), IsOk());
    input.images = &images_;
    input.model = *MakeModel(model, 1);
    return input;
  }

  const ImageSet images_ = SmallImageSet(proto::TRAIN, 8);
  Progress progress_{"test", 24, "images"};
};

TEST_F(AutogradTrainerTest, GoesOnFromAStateToTheSameBits) {
  const auto whole = MakeAutogradTrainer(Input());
  TrainingArrays after_first;
  for (uint32_t epoch = 0; epoch < 3; ++epoch) {
    ASSERT_THAT(whole->Train(epoch, progress_), IsOk());
    if (epoch == 0) {
      after_first = *whole->GetState();
    }
  }
  const auto other = MakeAutogradTrainer(Input());
  ASSERT_THAT(other->SetState(after_first), IsOk());
  ASSERT_THAT(other->Train(1, progress_), IsOk());
  ASSERT_THAT(other->Train(2, progress_), IsOk());
  const TrainingArrays expected = *whole->GetState();
  EXPECT_EQ(*other->GetState(), expected);
  EXPECT_NE(after_first, expected);
  // 62 parameters, each with its momentum; mean, variance and counter of 20 batch norms.
  EXPECT_EQ(expected.size(), 62u + 62u + 60u);
}

TEST_F(AutogradTrainerTest, MomentumIsPartOfIt) {
  const auto trainer = MakeAutogradTrainer(Input("lenet5"));
  ASSERT_THAT(trainer->Train(0, progress_), IsOk());
  TrainingArrays state = *trainer->GetState();
  ASSERT_THAT(trainer->Train(1, progress_), IsOk());
  for (auto& [name, bytes] : state) {
    if (absl::StartsWith(name, "momentum/")) {
      bytes.assign(bytes.size(), '\0');
    }
  }
  const auto without = MakeAutogradTrainer(Input("lenet5"));
  ASSERT_THAT(without->SetState(state), IsOk());
  ASSERT_THAT(without->Train(1, progress_), IsOk());
  EXPECT_NE(*without->GetState(), *trainer->GetState());
}

TEST_F(AutogradTrainerTest, RefusesTheStateOfAnotherNetwork) {
  const auto lenet5 = MakeAutogradTrainer(Input("lenet5"));
  EXPECT_THAT(MakeAutogradTrainer(Input())->SetState(*lenet5->GetState()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("has no array ")));
}

}  // namespace
}  // namespace lockstep
