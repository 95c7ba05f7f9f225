// Tests the training step, the epoch and the evaluation on the CPU.
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/dataset/batch_loader.h"
#include "lib/dataset/sampler.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"
#include "lib/train/epoch_runner.h"
#include "lib/train/evaluate.h"
#include "lib/train/sgd.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

const c10::Device kCpu(c10::kCPU);

proto::TrainingSpec Spec() {
  proto::TrainingSpec spec;
  spec.set_precision(proto::FP32);
  spec.set_learning_rate(0.05);
  spec.set_momentum(0.9);
  return spec;
}

LoaderOptions Options(const ImageSet& set, uint32_t batch_size) {
  LoaderOptions options;
  options.batch_size = batch_size;
  options.augment = false;
  EXPECT_THAT(NormalizeAsTrained(set.info, options), IsOk());
  return options;
}

std::shared_ptr<Model> LeNet5(uint64_t seed = 1) { return *MakeModel("lenet5", seed); }

std::vector<uint32_t> InOrder(uint32_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

TEST(SgdTest, FollowsItsFormula) {
  at::Tensor w = at::tensor({1.0, -2.0}, at::kDouble).requires_grad_();
  SgdOptions options;
  options.learning_rate = 0.5;
  options.momentum = 0.25;
  options.weight_decay = 0.125;
  Sgd sgd({w}, options);
  w.mutable_grad() = at::tensor({3.0, 4.0}, at::kDouble);
  ASSERT_THAT(sgd.Step(), IsOk());
  // g = 3 + .125 * 1 = 3.125 = v; w = 1 - .5 * 3.125. And g = 4 - .25 = 3.75; w = -2 - 1.875. Exact in binary.
  EXPECT_TRUE(at::equal(w.detach(), at::tensor({-0.5625, -3.875}, at::kDouble)));
  ASSERT_THAT(sgd.Step(), IsOk());
  // g = 3 - .0703125 = 2.9296875; v = .25 * 3.125 + g = 3.7109375; w = -.5625 - 1.85546875.
  // g = 4 - .484375 = 3.515625; v = .25 * 3.75 + g = 4.453125; w = -3.875 - 2.2265625.
  EXPECT_TRUE(at::equal(w.detach(), at::tensor({-2.41796875, -6.1015625}, at::kDouble)));
}

TEST(SgdTest, WithoutMomentumAndWithAnotherRate) {
  at::Tensor w = at::tensor({1.0}, at::kDouble).requires_grad_();
  Sgd sgd({w}, {0.5, 0, 0});
  w.mutable_grad() = at::tensor({1.0}, at::kDouble);
  ASSERT_THAT(sgd.Step(), IsOk());
  sgd.set_learning_rate(0.25);
  ASSERT_THAT(sgd.Step(), IsOk());
  EXPECT_EQ(w.item<double>(), 1 - 0.5 - 0.25);
}

TEST(SgdTest, RefusesAParameterWithoutGradient) {
  at::Tensor w = at::tensor({1.0}, at::kDouble).requires_grad_();
  EXPECT_THAT(Sgd({w}, {}).Step(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("parameter 0 of 1")));
}

TEST(TrainStepTest, RefusesWhatIsNotBuilt) {
  EXPECT_THAT(CheckTrainingSpec(Spec()), IsOk());
  proto::TrainingSpec spec = Spec();
  spec.set_precision(proto::BF16);
  spec.set_channels_last(true);
  EXPECT_THAT(CheckTrainingSpec(spec), IsOk());
  spec.set_device(proto::CUDA);
  EXPECT_THAT(CheckTrainingSpec(spec), IsOk());
  spec.set_precision(proto::TF32);
  spec.set_cuda_graph(true);
  EXPECT_THAT(CheckTrainingSpec(spec), IsOk());
  spec.set_accumulate(2);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--accumulate=2")));
  spec = Spec();
  spec.set_precision(proto::TF32);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("TF32")));
  spec = Spec();
  spec.set_cuda_graph(true);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--cuda_graph=true")));
  spec = Spec();
  spec.set_learning_rate(-1);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--learning_rate=-1")));
}

TEST(TrainStepTest, OverfitsAFewImages) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 10);
  BatchLoader loader(set, Options(set, 10));
  proto::TrainingSpec gentle = Spec();
  gentle.set_learning_rate(0.005);  // ten times this rate makes every ReLU dead with images of this contrast
  TrainStep step(LeNet5(), gentle, kCpu);
  EpochTimes times;
  for (uint32_t epoch = 0; epoch < 100; ++epoch) {
    auto run = RunEpoch(step, loader, epoch, InOrder(10));
    ASSERT_THAT(run, IsOk());
    times = *run;
    if (epoch == 0) {
      EXPECT_NEAR(times.mean_loss, std::log(10.0), 0.3);  // ten classes, initial weights: about chance
    }
  }
  EXPECT_LT(times.mean_loss, 0.1);
  EXPECT_EQ(times.accuracy, 1.0);
}

TEST(EpochRunnerTest, CountsStepsImagesAndTheTail) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 23);
  TrainStep step(LeNet5(), Spec(), kCpu);
  BatchLoader loader(set, Options(set, 5));
  const auto whole = RunEpoch(step, loader, 0, InOrder(23));
  ASSERT_THAT(whole, IsOk());
  EXPECT_EQ(whole->steps, 5);  // 5 + 5 + 5 + 5 + 3
  EXPECT_EQ(whole->images, 23);
  LoaderOptions dropping = Options(set, 5);
  dropping.drop_last = true;
  BatchLoader shorter(set, dropping);
  const auto dropped = RunEpoch(step, shorter, 1, InOrder(23));
  ASSERT_THAT(dropped, IsOk());
  EXPECT_EQ(dropped->steps, 4);
  EXPECT_EQ(dropped->images, 20);
}

TEST(EpochRunnerTest, PartsAddUpToTheEpoch) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 40);
  TrainStep step(LeNet5(), Spec(), kCpu);
  BatchLoader loader(set, Options(set, 8));
  const auto times = RunEpoch(step, loader, 0, InOrder(40));
  ASSERT_THAT(times, IsOk());
  EXPECT_GT(times->forward_seconds, 0);
  EXPECT_GT(times->backward_seconds, 0);
  EXPECT_GT(times->optimizer_seconds, 0);
  EXPECT_GE(times->data_wait_seconds, 0);
  EXPECT_DOUBLE_EQ(times->step_seconds,
                   times->copy_seconds + times->forward_seconds + times->backward_seconds + times->optimizer_seconds);
  // Only two clock readings are outside the phases, but a busy machine may stop the process between them.
  EXPECT_LE(times->step_seconds + times->data_wait_seconds, times->epoch_seconds);
  EXPECT_NEAR(times->step_seconds + times->data_wait_seconds, times->epoch_seconds, 0.05);
}

TEST(EpochRunnerTest, MeanLossWeighsImagesNotSteps) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 9);
  proto::TrainingSpec frozen = Spec();
  frozen.set_learning_rate(0);  // constant weights, so that the loss of each image does not depend on its batch
  TrainStep step(LeNet5(), frozen, kCpu);
  BatchLoader at_once(set, Options(set, 9));
  BatchLoader uneven(set, Options(set, 8));  // 8 + 1
  const auto expected = RunEpoch(step, at_once, 0, InOrder(9));
  const auto actual = RunEpoch(step, uneven, 0, InOrder(9));
  ASSERT_THAT(expected, IsOk());
  ASSERT_THAT(actual, IsOk());
  // fp32 logits of magnitude below 1 are sums of at most 400 products, added in another order: 400 epsilon = 2.4e-5.
  EXPECT_NEAR(actual->mean_loss, expected->mean_loss, 2.4e-5);
  EXPECT_EQ(actual->accuracy, expected->accuracy);
}

TEST(EpochRunnerTest, SameSeedSameLoss) {
  at::set_num_threads(1);
  const ImageSet set = SmallImageSet(proto::TRAIN, 20);
  const auto train = [&set](uint64_t seed, uint32_t workers) {
    LoaderOptions options = Options(set, 4);
    options.augment = true;
    options.seed = seed;
    options.workers = workers;
    BatchLoader loader(set, options);
    TrainStep step(LeNet5(seed), Spec(), kCpu);
    double loss = 0;
    for (uint32_t epoch = 0; epoch < 2; ++epoch) {
      loss = RunEpoch(step, loader, epoch, EpochOrder(20, seed, epoch))->mean_loss;
    }
    return loss;
  };
  EXPECT_EQ(train(3, 2), train(3, 0));
  EXPECT_NE(train(3, 2), train(4, 2));
}

// Hook that counts its calls and changes the gradients before the optimizer reads them, like a reducer.
class ZeroingHook : public GradientHook {
 public:
  explicit ZeroingHook(Model& model) : model_(model) {}
  absl::Status BeforeBackward() override {
    for (const torch::Tensor& parameter : model_.parameters()) {
      EXPECT_FALSE(parameter.grad().defined());
    }
    ++before_;
    return status_;
  }
  absl::Status AfterBackward() override {
    for (const torch::Tensor& parameter : model_.parameters()) {
      parameter.grad().zero_();
    }
    ++after_;
    return absl::OkStatus();
  }
  Model& model_;
  absl::Status status_;
  int before_ = 0;
  int after_ = 0;
};

TEST(TrainStepTest, MicroBatchesAddUpToTheBatch) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 10);
  BatchLoader loader(set, Options(set, 6));  // a step of 6 images and one of 4: micro-batches of 3 and 3, then 3 and 1
  TrainStep whole(LeNet5(), Spec(), kCpu);
  TrainStep parts(LeNet5(), Spec(), kCpu, 3);
  const auto expected = RunEpoch(whole, loader, 0, InOrder(10));
  const auto found = RunEpoch(parts, loader, 0, InOrder(10));
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->steps, 2);
  EXPECT_EQ(found->images, 10);
  EXPECT_EQ(found->accuracy, expected->accuracy);
  EXPECT_NEAR(found->mean_loss, expected->mean_loss, 1e-6);
  for (size_t i = 0; i < whole.model().parameters().size(); ++i) {
    // Sums in another order: a few roundings of 6e-8 each, of weights and gradients of at most 1, twice.
    EXPECT_TRUE(at::allclose(parts.model().parameters()[i], whole.model().parameters()[i], 0, 1e-6)) << i;
    EXPECT_FALSE(at::equal(parts.model().parameters()[i], LeNet5()->parameters()[i])) << i;
  }
}

// The loss of an image is -0.75 log p[label] - 0.25 / 10 * sum(log p), with s = 0.25 and p the softmax of its logits.
TEST(TrainStepTest, TheSmoothedLossByHand) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 6);
  BatchLoader loader(set, Options(set, 6));
  proto::TrainingSpec spec = Spec();
  spec.set_label_smoothing(0.25);
  TrainStep step(LeNet5(), spec, kCpu);
  const auto times = RunEpoch(step, loader, 0, InOrder(6));
  ASSERT_THAT(times, IsOk());
  loader.StartEpoch(0, InOrder(6));
  Batch batch;
  ASSERT_THAT(loader.Next(&batch), IsOk());
  const at::NoGradGuard no_grad;
  const at::Tensor log_p =
      LeNet5()->forward(at::from_blob(batch.images.data(), {6, 3, 32, 32}, at::kFloat)).to(at::kDouble).log_softmax(1);
  double expected = -0.25 / 10 * log_p.sum().item<double>();
  for (int64_t i = 0; i < 6; ++i) {
    expected -= 0.75 * log_p[i][batch.labels[i]].item<double>();
  }
  EXPECT_NEAR(times->mean_loss, expected / 6, 1e-6);  // about 2.3 in fp32
}

// The first step's momentum is the clipped gradient of the whole batch, also if the batch is divided into
// micro-batches.
TEST(TrainStepTest, ClipsTheGradientOfTheWholeBatch) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 6);
  BatchLoader loader(set, Options(set, 6));
  proto::TrainingSpec spec = Spec();
  spec.set_clip_norm(0.01);
  TrainStep whole(LeNet5(), spec, kCpu), parts(LeNet5(), spec, kCpu, 4);
  ASSERT_THAT(RunEpoch(whole, loader, 0, InOrder(6)), IsOk());
  ASSERT_THAT(RunEpoch(parts, loader, 0, InOrder(6)), IsOk());
  double squares = 0;
  for (size_t i = 0; i < whole.optimizer().State().size(); ++i) {
    squares += whole.optimizer().State()[i].second.square().sum().item<double>();
    EXPECT_TRUE(at::allclose(parts.optimizer().State()[i].second, whole.optimizer().State()[i].second, 1e-3, 1e-8))
        << i;
  }
  EXPECT_NEAR(std::sqrt(squares), 0.01, 1e-5);  // slightly less, because the divisor is norm + 1e-6
}

TEST(TrainStepTest, RefusesRemediesThatCannotBe) {
  proto::TrainingSpec spec = Spec();
  spec.set_label_smoothing(1.5);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--label_smoothing")));
  spec = Spec();
  spec.set_clip_norm(-1);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--clip_norm=-1")));
  spec = Spec();
  spec.set_lars(-1);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--lars=-1")));
  spec = Spec();
  spec.set_model("lenet5");
  spec.set_zero_gamma(true);
  EXPECT_THAT(CheckTrainingSpec(spec), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("lenet5 has none")));
  spec.set_model("resnet18");
  EXPECT_THAT(CheckTrainingSpec(spec), IsOk());
}

TEST(TrainStepTest, EveryStepIsTimedByItself) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 10);
  BatchLoader loader(set, Options(set, 4));
  for (const uint32_t micro_batch : {0, 2}) {
    TrainStep step(LeNet5(), Spec(), kCpu, micro_batch);
    const auto times = RunEpoch(step, loader, 0, InOrder(10));
    ASSERT_THAT(times, IsOk());
    ASSERT_EQ(times->steps_seconds.size(), 3);
    double sum = 0;
    for (const double seconds : times->steps_seconds) {
      EXPECT_GT(seconds, 0);
      sum += seconds;
    }
    EXPECT_NEAR(sum, times->step_seconds, 1e-9);  // same clock readings, added in another order
  }
}

TEST(TrainStepTest, TheHookStandsBetweenBackwardAndOptimizer) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 6);
  BatchLoader loader(set, Options(set, 2));
  TrainStep step(LeNet5(), Spec(), kCpu);
  ZeroingHook hook(step.model());
  ASSERT_THAT(RunEpoch(step, loader, 0, InOrder(6), &hook), IsOk());
  EXPECT_EQ(hook.before_, 3);
  EXPECT_EQ(hook.after_, 3);
  EXPECT_TRUE(at::equal(step.model().parameters()[0], LeNet5()->parameters()[0]));  // zero gradients, no decay
}

TEST(TrainStepTest, EachStepHasTheRateOfItsPlace) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 6);
  BatchLoader loader(set, Options(set, 2));
  TrainStep first_only(LeNet5(), Spec(), kCpu);
  ASSERT_THAT(RunEpoch(first_only, loader, 0, InOrder(2)), IsOk());
  TrainStep then_nothing(LeNet5(), Spec(), kCpu);
  std::vector<uint32_t> asked;
  const auto rate = [&](uint32_t step) {
    asked.push_back(step);
    return step == 0 ? Spec().learning_rate() : 0;
  };
  ASSERT_THAT(RunEpoch(then_nothing, loader, 0, InOrder(6), nullptr, nullptr, 0, rate), IsOk());
  EXPECT_EQ(asked, InOrder(3));
  for (size_t i = 0; i < first_only.model().parameters().size(); ++i) {
    EXPECT_TRUE(at::equal(then_nothing.model().parameters()[i], first_only.model().parameters()[i])) << i;
  }
}

TEST(TrainStepTest, PassesTheHooksErrorOn) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 6);
  BatchLoader loader(set, Options(set, 2));
  TrainStep step(LeNet5(), Spec(), kCpu);
  ZeroingHook hook(step.model());
  hook.status_ = absl::UnavailableError("rank 1 is gone");
  EXPECT_THAT(RunEpoch(step, loader, 0, InOrder(6), &hook), StatusIs(absl::StatusCode::kUnavailable, "rank 1 is gone"));
}

// The message names the flags of the step that does train such a data set.
TEST(CheckStepShapeTest, TheFusedStepHasLimitsForClassesAndImages) {
  proto::TrainingSpec spec = Spec();
  EXPECT_THAT(CheckStepShape(spec, {1001, 64, 48}), IsOk());
  spec.set_step(proto::FUSED);
  EXPECT_THAT(CheckStepShape(spec, {}), IsOk());
  for (const int64_t size : {16, 32, 64, 224, 400}) {
    EXPECT_THAT(CheckStepShape(spec, {1000, size, size}), IsOk());
  }
  EXPECT_THAT(CheckStepShape(spec, {1001, 32, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--step=fused: expected at most 1000 classes, found 1001; use --step=autograd --cuda_graph, the "
                       "captured graph of autograd's step"));
  EXPECT_THAT(CheckStepShape(spec, {10, 64, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--step=fused: expected square images of 16 to 400 pixels in steps of 8, found 64x32; make such "
                       "images by --resize=32 of cifar_prep, or use --step=autograd --cuda_graph, the captured graph "
                       "of autograd's step"));
  for (const int64_t size : {8, 36, 408}) {
    EXPECT_THAT(CheckStepShape(spec, {10, size, size}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected square images")));
  }
}

// Model that always predicts class 0.
class Constant : public Model {
 public:
  torch::Tensor forward(torch::Tensor images) override {
    EXPECT_FALSE(is_training());
    torch::Tensor logits = images.new_zeros({images.size(0), kClasses});
    logits.select(1, 0).fill_(1);
    seen += images.size(0);
    return logits;
  }
  int64_t seen = 0;
};

TEST(EvaluatorTest, CountsEveryImageOnceAndRestoresTheMode) {
  const ImageSet set = SmallImageSet(proto::TEST, 23);  // labels 0 .. 9, 0 .. 9, 0 1 2: three of class 0
  const LoaderOptions options = Options(set, 7);
  Evaluator evaluator(set, options.mean, options.std, 7, kCpu);
  for (int time = 1; time <= 2; ++time) {
    Constant model;
    const auto correct = evaluator.CountCorrect(model);
    ASSERT_THAT(correct, IsOk());
    EXPECT_EQ(*correct, 3);
    EXPECT_DOUBLE_EQ(*evaluator.Accuracy(*correct), 3.0 / 23.0);
    EXPECT_EQ(model.seen, 23);
    EXPECT_TRUE(model.is_training());
  }
}

TEST(EvaluatorTest, SharesAreDisjointAndTogetherTheSet) {
  const ImageSet set = SmallImageSet(proto::TEST, 23);
  const LoaderOptions options = Options(set, 7);
  for (const uint32_t ranks : {2u, 4u, 30u}) {  // some of 30 ranks have no image
    int64_t correct = 0, seen = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      Constant model;
      const auto counted =
          Evaluator(set, options.mean, options.std, 7, kCpu, EvaluationShare{rank, ranks}).CountCorrect(model);
      ASSERT_THAT(counted, IsOk());
      correct += *counted;
      seen += model.seen;
    }
    EXPECT_EQ(correct, 3) << ranks;
    EXPECT_EQ(seen, 23) << ranks;
  }
}

// Model whose logits depend on the side of an image: class 1 has the brightness of the left half, class 2 three times
// that of the right half.
class Sides : public Model {
 public:
  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor logits = images.new_zeros({images.size(0), kClasses});
    logits.select(1, 1).copy_(images.narrow(3, 0, 16).sum({1, 2, 3}));
    logits.select(1, 2).copy_(3 * images.narrow(3, 16, 16).sum({1, 2, 3}));
    return logits;
  }
};

// Without normalization, sides (left, right) of brightness l and r have logits l and 3r, and both views together l + r
// and 3(l + r), which is class 2 for any image that is not black.
TEST(EvaluatorTest, MirroredImagesAreAveragedWithPlainOnes) {
  ImageSet set = SmallImageSet(proto::TEST, 3);
  std::fill(set.pixels.begin(), set.pixels.end(), 0);
  for (size_t i = 0; i < set.pixels.size(); ++i) {
    set.pixels[i] = i % 32 < 16 ? 40 : 10;  // l = 4r
  }
  set.labels = {1, 2, 3};
  Sides model;
  Evaluator evaluator(set, {0, 0, 0}, {1, 1, 1}, 2, kCpu);
  const auto correct = evaluator.CountCorrectMirrored(model);
  ASSERT_THAT(correct, IsOk());
  EXPECT_EQ(correct->plain, 1);     // all are class 1: the first label
  EXPECT_EQ(correct->mirrored, 1);  // all are class 2: the second label
  EXPECT_EQ(*evaluator.CountCorrect(model), 1);
  EXPECT_TRUE(model.is_training());
  set.labels = {2, 2, 3};
  Evaluator other(set, {0, 0, 0}, {1, 1, 1}, 2, kCpu);
  EXPECT_EQ(other.CountCorrectMirrored(model)->plain, 0);
  EXPECT_EQ(other.CountCorrectMirrored(model)->mirrored, 2);
}

// Model that stores its inputs.
class Camera : public Model {
 public:
  torch::Tensor forward(torch::Tensor images) override {
    seen.push_back(images.clone());
    return images.new_zeros({images.size(0), kClasses});
  }
  std::vector<torch::Tensor> seen;
};

TEST(EvaluatorTest, ShowsTheLoadersImagesBitForBit) {
  const ImageSet set = SmallImageSet(proto::TEST, 23);
  const LoaderOptions options = Options(set, 7);
  Camera model;
  ASSERT_THAT(Evaluator(set, options.mean, options.std, 7, kCpu).CountCorrect(model), IsOk());
  BatchLoader loader(set, options);
  loader.StartEpoch(0, InOrder(23));
  ASSERT_EQ(model.seen.size(), 4);
  Batch batch;
  for (const torch::Tensor& seen : model.seen) {
    ASSERT_THAT(loader.Next(&batch), IsOk());
    EXPECT_TRUE(at::equal(seen, at::from_blob(batch.images.data(), {batch.size, 3, 32, 32}, at::kFloat)));
  }
}

TEST(EvaluatorTest, RefusesAnEmptySet) {
  const ImageSet none;
  EXPECT_THAT(Evaluator(none, {0, 0, 0}, {1, 1, 1}, 7, kCpu).Accuracy(0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no images")));
}

}  // namespace
}  // namespace lockstep
