#include "lib/networks/optimizers.h"

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

TEST(OptimizersTest, HasDefaultsOfTorchOptimAndOfTheModel) {
  EXPECT_EQ(DefaultLearningRate(proto::OPTIMIZER_KIND_UNSPECIFIED, "resnet18"), 0.1);
  EXPECT_EQ(DefaultLearningRate(proto::NESTEROV, "lenet5"), 0.01);
  EXPECT_EQ(DefaultLearningRate(proto::ADAMW, "resnet18"), 1e-3);
  EXPECT_EQ(DefaultLearningRate(proto::ADADELTA, "resnet18"), 1);
  EXPECT_TRUE(HasMomentum(proto::SGD));
  EXPECT_FALSE(HasMomentum(proto::ADAM));
  EXPECT_EQ(OptimizerWord(proto::OPTIMIZER_KIND_UNSPECIFIED), "sgd");
  EXPECT_EQ(OptimizerWord(proto::RMSPROP), "rmsprop");
  EXPECT_EQ(OptimizerTitle(proto::OPTIMIZER_KIND_UNSPECIFIED), "SGD");
  EXPECT_EQ(OptimizerTitle(proto::ADAMW), "AdamW");
}

TEST(OptimizersTest, RefusesWhatAnOptimizerCannotHave) {
  proto::TrainingSpec spec;
  spec.set_momentum(0.9);
  spec.set_lars(0.001);
  EXPECT_THAT(CheckOptimizer(spec), IsOk());
  spec.set_optimizer(proto::ADAM);
  EXPECT_THAT(CheckOptimizer(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--optimizer=adam")));
  spec.set_lars(0);
  EXPECT_THAT(CheckOptimizer(spec), IsOk());
  spec.set_optimizer(proto::NESTEROV);
  spec.set_momentum(0);
  EXPECT_THAT(CheckOptimizer(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--momentum=0")));
}

}  // namespace
}  // namespace lockstep
