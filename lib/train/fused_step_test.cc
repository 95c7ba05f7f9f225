// Compares the fused ResNet-18 step with LibTorch's autograd, and its fast variants with the plain one. All tests need
// a GPU.
#include <cmath>
#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/device/device.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/resnet_epoch.h"
#include "lib/fused/resnet_step.h"
#include "lib/fused/step_timestamps.h"
#include "lib/kernels/add_partials.h"
#include "lib/nn/zero_gamma.h"
#include "lib/testing/matchers.h"
#include "lib/train/exchange_steps.h"
#include "lib/train/fused_weights.h"
#include "lib/train/step_parts.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::SmallPixel;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr uint32_t kImages = 56;
constexpr uint32_t kBatch = 24;  // two batches and a shorter one of 8
constexpr float kRate = 0.05f;
constexpr uint64_t kSeed = 5;

#define SKIP_WITHOUT_GPU() \
  if (!HaveGpu()) GTEST_SKIP() << "no CUDA device"

proto::TrainingSpec Spec() {
  proto::TrainingSpec spec;
  spec.set_model("resnet18");
  spec.set_precision(proto::FP32);
  spec.set_learning_rate(kRate);
  spec.set_momentum(0.9);
  spec.set_weight_decay(5e-4);
  return spec;
}

LoaderOptions Loader(const ImageSet& set) {
  LoaderOptions options;
  options.batch_size = kBatch;
  options.augment = true;
  options.seed = kSeed;
  EXPECT_THAT(NormalizeAsTrained(set.info, options), IsOk());
  return options;
}

std::vector<uint32_t> Order() {
  std::vector<uint32_t> order(kImages);
  for (uint32_t i = 0; i < kImages; ++i) {
    order[i] = i * 31 % kImages;
  }
  return order;
}

ResNetStepOptions Options(ConvolutionType type) {
  ResNetStepOptions options;
  options.type = type;
  options.max_batch = kBatch;
  options.seed = kSeed;
  options.deterministic = true;
  return options;
}

std::unique_ptr<ResNetStep> MakeFused(const ImageSet& set, const ResNetStepOptions& options, const Model& model) {
  const LoaderOptions loader = Loader(set);
  ResidentImages images;
  images.pixels = set.pixels.data();
  images.labels = set.labels.data();
  images.count = static_cast<uint32_t>(set.size());
  images.mean = loader.mean;
  images.std = loader.std;
  auto step = ResNetStep::Make(options, images);
  EXPECT_THAT(step, IsOk());
  const auto values = ToFusedValues(model);
  EXPECT_THAT(values, IsOk());
  EXPECT_THAT((*step)->SetValues(*values), IsOk());
  return *std::move(step);
}

// Queues the first of the epoch's steps of kBatch images. `rates` must have one rate per step of the epoch.
absl::Status EnqueueOneStep(ResNetStep& step, uint32_t epoch, const std::vector<float>& rates) {
  RETURN_IF_ERROR(step.Prepare(kBatch));
  RETURN_IF_ERROR(step.BeginEpoch(Order(), epoch, rates));
  return step.Enqueue(kBatch, 1);
}

std::unique_ptr<ResNetStep> AfterOneStep(const ImageSet& set, const ResNetStepOptions& options, const Model& model) {
  auto step = MakeFused(set, options, model);
  EXPECT_THAT(EnqueueOneStep(*step, 0, {kRate}), IsOk());
  EXPECT_THAT(step->EndEpoch(), IsOk());
  return step;
}

// Returns ||a - b|| / ||b|| over `count` numbers from `first`; 0 if there is no difference.
double RelativeError(const std::vector<float>& a, const std::vector<float>& b, size_t first, size_t count) {
  double difference = 0, norm = 0;
  for (size_t i = first; i < first + count; ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

// Arrays of the network whose relative error is not below `tolerance`, in order, and the largest error of all arrays.
struct Comparison {
  std::string beyond;  // "name error, name error, ..."
  double worst = 0;

  Comparison(const ResNetValues& a, const ResNetValues& b, double tolerance,
             const ResNetUnits& net = MakeResNetUnits()) {
    const auto check = [&](const std::string& name, double error) {
      worst = error <= worst ? worst : error;
      if (!(error < tolerance)) {
        absl::StrAppend(&beyond, beyond.empty() ? "" : ", ", name, " ", error);
      }
    };
    for (const ConvolutionUnit& unit : net.units) {
      const size_t gamma = unit.channel, beta = net.channel_count + unit.channel;
      check(unit.conv_name, RelativeError(a.weights, b.weights, unit.weight, unit.weight_count()));
      check(unit.batch_norm_name + ".weight", RelativeError(a.batch_norms, b.batch_norms, gamma, unit.out_channels));
      check(unit.batch_norm_name + ".bias", RelativeError(a.batch_norms, b.batch_norms, beta, unit.out_channels));
      if (!a.running.empty()) {
        check(unit.batch_norm_name + ".running_mean", RelativeError(a.running, b.running, gamma, unit.out_channels));
        check(unit.batch_norm_name + ".running_var", RelativeError(a.running, b.running, beta, unit.out_channels));
      }
    }
    check("linear.weight",
          RelativeError(a.weights, b.weights, net.linear_weight, net.weight_count - net.linear_weight));
    check("linear.bias", RelativeError(a.batch_norms, b.batch_norms, net.bias(), net.batch_norm_count() - net.bias()));
  }
};

// Tolerance of gradients in fp32. Sums of up to 4,608 products in a convolution, added in another order, differ by
// about 2^-24 * sqrt(4608) = 4e-6 of their size. This changes the sign of 0.8 * 4e-6 of the inputs of each ReLU (a
// normal density at 0), and with it that share of the squared gradient: sqrt(17 ReLUs * 3.2e-6) = 0.0074 relative.
constexpr double kFp32Tolerance = 0.01;

class FusedStepTest : public ::testing::Test {
 protected:
  absl::StatusOr<ResNetValues> AfterTwoEpochs(const ResNetStepOptions& options, bool graphs) const {
    auto step = MakeFused(set_, options, *model_);
    ResNetEpochs epochs(*step, kBatch, graphs);
    EXPECT_THAT(epochs.Prepare(kImages, DropLast::kNo), IsOk());
    for (uint32_t epoch = 0; epoch < 2; ++epoch) {
      EXPECT_THAT(epochs.Train(Order(), epoch, [](uint32_t) { return kRate; }), IsOk());
    }
    return step->GetValues();
  }

  const ImageSet set_ = SmallImageSet(proto::TRAIN, kImages);
  const std::shared_ptr<Model> model_ = *MakeModel("resnet18", 3);
};

// Returns the optimizer's momentum in the layout of the fused step.
ResNetValues MomentumOf(TrainStep& step) {
  const std::vector<torch::Tensor> parameters = step.model().parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].mutable_grad() = step.optimizer().State()[i].second;
  }
  return *ToFusedGradients(step.model());
}

TEST_F(FusedStepTest, GradientsAndUpdateAreThoseOfAutograd) {
  SKIP_WITHOUT_GPU();
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  std::vector<std::unique_ptr<ResNetStep>> steps;
  for (const bool fast : {false, true}) {
    ResNetStepOptions options = Options(ConvolutionType::kFp32);
    options.two_streams = fast;
    steps.push_back(MakeFused(set_, options, *model_));
    ASSERT_THAT(EnqueueOneStep(*steps.back(), 2, {kRate, kRate, kRate}), IsOk());
  }

  TrainStep plain(model_, Spec(), c10::Device(c10::kCUDA, 0));
  BatchLoader loader(set_, Loader(set_));
  loader.StartEpoch(2, Order());
  plain.BeginEpoch();
  Batch batch;
  ASSERT_THAT(loader.Next(&batch), IsOk());
  ASSERT_THAT(plain.Run(batch), IsOk());
  const auto totals = plain.EndEpoch();
  ASSERT_THAT(totals, IsOk());

  for (const auto& step : steps) {
    const auto counts = step->EndEpoch();
    ASSERT_THAT(counts, IsOk());
    EXPECT_NEAR(counts->loss_sum / kBatch, totals->mean_loss, 1e-4);
    EXPECT_EQ(counts->correct, std::lround(totals->accuracy * kBatch));
    EXPECT_EQ(Comparison(*step->GetGradients(), *ToFusedGradients(*model_), kFp32Tolerance).beyond, "");
    EXPECT_EQ(Comparison(*step->GetValues(), *ToFusedValues(*model_), kFp32Tolerance).beyond, "");
  }
}

// Returns the options for a network of FusedStageBlocks, and for the classes and the images of a data set.
ResNetStepOptions Options(ConvolutionType type, const std::string& model, const ImageSet& set) {
  ResNetStepOptions options = Options(type);
  options.stage_blocks = *FusedStageBlocks(model);
  options.classes = static_cast<uint32_t>(set.info.class_name_size());
  options.image_size = set.height();
  return options;
}

// Compares one step in fp32 with autograd's.
void ExpectTrainsAsAutogradDoes(const std::string& name, const ImageSet& set, double tolerance) {
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  const std::shared_ptr<Model> model = *MakeModel(name, 3, ModelShapeOf(set.info));
  const ResNetStepOptions options = Options(ConvolutionType::kFp32, name, set);
  const auto step = MakeFused(set, options, *model);
  ASSERT_THAT(EnqueueOneStep(*step, 2, {kRate, kRate, kRate}), IsOk());
  TrainStep plain(model, Spec(), c10::Device(c10::kCUDA, 0));
  BatchLoader loader(set, Loader(set));
  loader.StartEpoch(2, Order());
  plain.BeginEpoch();
  Batch batch;
  ASSERT_THAT(loader.Next(&batch), IsOk());
  ASSERT_THAT(plain.Run(batch), IsOk());
  const auto totals = plain.EndEpoch();
  ASSERT_THAT(totals, IsOk());
  const auto counts = step->EndEpoch();
  ASSERT_THAT(counts, IsOk());
  EXPECT_NEAR(counts->loss_sum / kBatch, totals->mean_loss, 1e-4);
  EXPECT_EQ(counts->correct, std::lround(totals->accuracy * kBatch));
  const ResNetUnits net = NetworkOf(options);
  EXPECT_EQ(Comparison(*step->GetGradients(), *ToFusedGradients(*model), tolerance, net).beyond, "");
  EXPECT_EQ(Comparison(*step->GetValues(), *ToFusedValues(*model), tolerance, net).beyond, "");
}

// A gradient passes 34 layers instead of 18.
constexpr double kResNet34Tolerance = kFp32Tolerance * 34 / 18;

TEST_F(FusedStepTest, ResNet34TrainsAsAutogradDoes) {
  SKIP_WITHOUT_GPU();
  ExpectTrainsAsAutogradDoes("resnet34", set_, kResNet34Tolerance);
}

// Returns a set of kImages squares of `size` pixels with labels up to classes - 1.
ImageSet SetOf(uint32_t classes, uint32_t size) {
  ImageSet set = SmallImageSet(proto::TRAIN, kImages);
  set.info.set_height(size);
  set.info.set_width(size);
  set.info.clear_class_name();
  for (uint32_t k = 0; k < classes; ++k) {
    set.info.add_class_name(absl::StrCat("class ", k));
  }
  set.pixels.clear();
  for (uint32_t image = 0; image < kImages; ++image) {
    set.labels[image] = static_cast<uint16_t>(classes - 1 - image * 7 % classes);
    for (uint32_t i = 0; i < 3 * size * size; ++i) {
      set.pixels.push_back(SmallPixel(image, i / (size * size), i / size % size, i % size));
    }
  }
  return set;
}

TEST_F(FusedStepTest, AHundredClassesTrainAsAutogradDoes) {
  SKIP_WITHOUT_GPU();
  ExpectTrainsAsAutogradDoes("resnet18", SetOf(100, 32), kFp32Tolerance);
}

// Labels above 255.
TEST_F(FusedStepTest, AThousandClassesTrainAsAutogradDoes) {
  SKIP_WITHOUT_GPU();
  ExpectTrainsAsAutogradDoes("resnet34", SetOf(1000, 32), kResNet34Tolerance);
}

TEST_F(FusedStepTest, OtherImageSizesTrainAsAutogradDoes) {
  SKIP_WITHOUT_GPU();
  ExpectTrainsAsAutogradDoes("resnet18", SetOf(100, 64), kFp32Tolerance);
  ExpectTrainsAsAutogradDoes("resnet18", SetOf(10, kMinFusedImageSize), kFp32Tolerance);
  ExpectTrainsAsAutogradDoes("resnet34", SetOf(17, 40), kResNet34Tolerance);
}

// The first step's velocity is the gradient plus weight decay, of which Nesterov momentum makes 1.9 times the update.
TEST_F(FusedStepTest, NesterovUpdatesAsAutogradDoes) {
  SKIP_WITHOUT_GPU();
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  ResNetStepOptions options = Options(ConvolutionType::kFp32);
  options.nesterov = true;
  const auto step = MakeFused(set_, options, *model_);
  ASSERT_THAT(EnqueueOneStep(*step, 2, {kRate, kRate, kRate}), IsOk());
  proto::TrainingSpec spec = Spec();
  spec.set_optimizer(proto::NESTEROV);
  TrainStep plain(model_, spec, c10::Device(c10::kCUDA, 0));
  BatchLoader loader(set_, Loader(set_));
  loader.StartEpoch(2, Order());
  plain.BeginEpoch();
  Batch batch;
  ASSERT_THAT(loader.Next(&batch), IsOk());
  ASSERT_THAT(plain.Run(batch), IsOk());
  ASSERT_THAT(plain.EndEpoch(), IsOk());
  ASSERT_THAT(step->EndEpoch(), IsOk());
  EXPECT_EQ(Comparison(*step->GetMomentum(), MomentumOf(plain), 2 * kFp32Tolerance).beyond, "");
  EXPECT_EQ(Comparison(*step->GetValues(), *ToFusedValues(*model_), 2 * kFp32Tolerance).beyond, "");
}

// Compares one step of micro-batches of 10, 10 and 4 images, each with its own statistics, with TrainStep's. After the
// first step, the momentum is the gradient of the batch plus weight decay.
TEST_F(FusedStepTest, MicroBatchesAddUpAsAutogradsDo) {
  SKIP_WITHOUT_GPU();
  constexpr uint32_t kMicroBatch = 10;
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  const ResNetValues before = *ToFusedValues(*model_);
  std::vector<std::unique_ptr<ResNetStep>> steps;
  for (const bool fast : {false, true}) {
    ResNetStepOptions options = Options(ConvolutionType::kFp32);
    options.micro_batch = kMicroBatch;
    options.two_streams = fast;
    steps.push_back(MakeFused(set_, options, *model_));
    ASSERT_THAT(EnqueueOneStep(*steps.back(), 2, {kRate, kRate, kRate}), IsOk());
  }

  TrainStep plain(model_, Spec(), c10::Device(c10::kCUDA, 0), kMicroBatch);
  BatchLoader loader(set_, Loader(set_));
  loader.StartEpoch(2, Order());
  plain.BeginEpoch();
  Batch batch;
  ASSERT_THAT(loader.Next(&batch), IsOk());
  ASSERT_THAT(plain.Run(batch), IsOk());
  const auto totals = plain.EndEpoch();
  ASSERT_THAT(totals, IsOk());
  ResNetValues momentum = *ToFusedGradients(*model_);
  const auto add_decay = [](const std::vector<float>& weights, std::vector<float>& sums) {
    for (size_t i = 0; i < weights.size(); ++i) {
      sums[i] += 5e-4f * weights[i];
    }
  };
  add_decay(before.weights, momentum.weights);
  add_decay(before.batch_norms, momentum.batch_norms);

  for (const auto& step : steps) {
    const auto counts = step->EndEpoch();
    ASSERT_THAT(counts, IsOk());
    EXPECT_NEAR(counts->loss_sum / kBatch, totals->mean_loss, 1e-4);
    EXPECT_EQ(counts->correct, std::lround(totals->accuracy * kBatch));
    EXPECT_EQ(Comparison(*step->GetMomentum(), momentum, kFp32Tolerance).beyond, "");
    EXPECT_EQ(Comparison(*step->GetValues(), *ToFusedValues(*model_), kFp32Tolerance).beyond,
              "");  // includes running statistics
    // The fused step keeps the last micro-batch's gradients, TrainStep the sum of all. They must differ, which shows
    // that the comparison works.
    EXPECT_NE(Comparison(*step->GetGradients(), *ToFusedGradients(*model_), kFp32Tolerance).beyond, "");
  }
}

// Remedies for large batches.
struct Remedies {
  double label_smoothing = 0;
  double clip_norm = 0;  // below the norm of the gradient with initial weights, which is above 1
  double lars = 0;
  bool zero_gamma = false;
};

proto::TrainingSpec Spec(const Remedies& remedies) {
  proto::TrainingSpec spec = Spec();
  spec.set_label_smoothing(remedies.label_smoothing);
  spec.set_clip_norm(remedies.clip_norm);
  spec.set_lars(remedies.lars);
  spec.set_zero_gamma(remedies.zero_gamma);
  return spec;
}

ResNetStepOptions With(const Remedies& remedies, ResNetStepOptions options) {
  options.autotune = false;  // the choice of engines is not repeatable
  options.label_smoothing = static_cast<float>(remedies.label_smoothing);
  options.clip_norm = static_cast<float>(remedies.clip_norm);
  options.lars = static_cast<float>(remedies.lars);
  return options;
}

// Each remedy by itself, and all together.
const std::vector<Remedies> kRemedies = {
    {0.1, 0, 0, false}, {0, 0.5, 0, false}, {0, 0, 0.02, false}, {0, 0, 0, true}, {0.1, 0.5, 0.02, true}};

// The first step's momentum is the gradient plus weight decay, as changed by the remedies. A factor made of gradient
// norms has at most the relative error of the gradients, and multiplies them: twice their tolerance.
TEST_F(FusedStepTest, RemediesAreThoseOfAutograd) {
  SKIP_WITHOUT_GPU();
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  for (size_t r = 0; r < kRemedies.size(); ++r) {
    for (const uint32_t micro_batch : {0u, 10u}) {
      SCOPED_TRACE(absl::StrCat("remedies ", r, ", micro-batches of ", micro_batch));
      const auto model = *MakeModel("resnet18", 3);
      if (kRemedies[r].zero_gamma) {
        ASSERT_THAT(SetZeroGamma(*model), IsOk());
      }
      ResNetStepOptions options = With(kRemedies[r], Options(ConvolutionType::kFp32));
      options.micro_batch = micro_batch;
      const auto step = MakeFused(set_, options, *model);
      ASSERT_THAT(EnqueueOneStep(*step, 2, {kRate, kRate, kRate}), IsOk());

      TrainStep plain(model, Spec(kRemedies[r]), c10::Device(c10::kCUDA, 0), micro_batch);
      BatchLoader loader(set_, Loader(set_));
      loader.StartEpoch(2, Order());
      plain.BeginEpoch();
      Batch batch;
      ASSERT_THAT(loader.Next(&batch), IsOk());
      ASSERT_THAT(plain.Run(batch), IsOk());
      const auto totals = plain.EndEpoch();
      ASSERT_THAT(totals, IsOk());

      const auto counts = step->EndEpoch();
      ASSERT_THAT(counts, IsOk());
      EXPECT_NEAR(counts->loss_sum / kBatch, totals->mean_loss, 1e-4);
      EXPECT_EQ(counts->correct, std::lround(totals->accuracy * kBatch));
      EXPECT_EQ(Comparison(*step->GetMomentum(), MomentumOf(plain), 2 * kFp32Tolerance).beyond, "");
      EXPECT_EQ(Comparison(*step->GetValues(), *ToFusedValues(*model), 2 * kFp32Tolerance).beyond, "");
    }
  }
}

// The loss of the first step depends on the images alone. Epoch 3 turns the flips of the first epoch.
TEST_F(FusedStepTest, TheAugmentationHasTheLoadersRule) {
  SKIP_WITHOUT_GPU();
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  constexpr AugmentationRule kRule = {CropBorder::kReflect, FlipRule::kAlternating, 12};
  std::vector<double> losses;
  for (const AugmentationRule& rule : {AugmentationRule(), kRule}) {
    const auto model = *MakeModel("resnet18", 3);
    ResNetStepOptions options = With({}, Options(ConvolutionType::kFp32));
    options.augmentation = rule;
    const auto step = MakeFused(set_, options, *model);
    ASSERT_THAT(EnqueueOneStep(*step, 3, {kRate, kRate, kRate}), IsOk());

    TrainStep plain(model, Spec(), c10::Device(c10::kCUDA, 0));
    LoaderOptions loader_options = Loader(set_);
    loader_options.rule = rule;
    BatchLoader loader(set_, loader_options);
    loader.StartEpoch(3, Order());
    plain.BeginEpoch();
    Batch batch;
    ASSERT_THAT(loader.Next(&batch), IsOk());
    ASSERT_THAT(plain.Run(batch), IsOk());
    const auto totals = plain.EndEpoch();
    ASSERT_THAT(totals, IsOk());
    const auto counts = step->EndEpoch();
    ASSERT_THAT(counts, IsOk());
    EXPECT_NEAR(counts->loss_sum / kBatch, totals->mean_loss, 1e-4);
    losses.push_back(totals->mean_loss);
  }
  EXPECT_GT(std::abs(losses[0] - losses[1]), 1e-3);  // shows that the comparison works
}

// Without weight decay, the first step's momentum is the gradient, clipped by its norm over all parameters.
TEST_F(FusedStepTest, TheClippedGradientHasTheNormAskedFor) {
  SKIP_WITHOUT_GPU();
  for (const ConvolutionType type : {ConvolutionType::kFp32, ConvolutionType::kBf16}) {
    for (const uint32_t micro_batch : {0u, 10u}) {
      ResNetStepOptions options = With({0, 0.5, 0, false}, Options(type));
      options.weight_decay = 0;
      options.micro_batch = micro_batch;
      const ResNetValues momentum = *AfterOneStep(set_, options, *model_)->GetMomentum();
      double squares = 0;
      for (const auto* values : {&momentum.weights, &momentum.batch_norms}) {
        for (const float value : *values) {
          squares += static_cast<double>(value) * value;
        }
      }
      EXPECT_NEAR(std::sqrt(squares), 0.5, 1e-5) << micro_batch;  // slightly less, because the divisor is norm + 1e-6
    }
  }
}

// Tolerance of gradients in bf16. bf16 rounds weights, raw outputs and normalized outputs to 2^-9, each by a mean error
// of 0.58 * 2^-9 = 1.1e-3 of its size: 2e-3 per layer, 2e-3 * sqrt(l) after l layers. As derived above, that is 0.8 *
// 2e-3 * (sqrt(1) + ... + sqrt(17)) = 0.077 of the squared gradient, 0.28 of the gradient. Batch norm's backward pass
// removes the mean and the projection on x from a gradient, but not from its error, so it up to doubles the relative
// error. This is far above fp32's error, which the test above would reject.
constexpr double kBf16Tolerance = 0.56;

TEST_F(FusedStepTest, Bf16IsNearFp32AndNotTooNear) {
  SKIP_WITHOUT_GPU();
  const auto fp32 = MakeFused(set_, Options(ConvolutionType::kFp32), *model_);
  const auto bf16 = MakeFused(set_, Options(ConvolutionType::kBf16), *model_);
  for (ResNetStep* step : {fp32.get(), bf16.get()}) {
    ASSERT_THAT(EnqueueOneStep(*step, 0, {kRate}), IsOk());
  }
  EXPECT_NEAR(bf16->EndEpoch()->loss_sum / fp32->EndEpoch()->loss_sum, 1, 0.02);
  const Comparison errors(*bf16->GetGradients(), *fp32->GetGradients(), kBf16Tolerance);
  EXPECT_EQ(errors.beyond, "");
  EXPECT_GT(errors.worst, kFp32Tolerance);
}

// In bf16, our kernels compute some layers of these images, and cuDNN the others.
TEST_F(FusedStepTest, OfOtherImageSizesBf16IsNearFp32) {
  SKIP_WITHOUT_GPU();
  const ImageSet set = SetOf(100, 64);
  const auto model = *MakeModel("resnet18", 3, ModelShapeOf(set.info));
  const auto fp32 = MakeFused(set, Options(ConvolutionType::kFp32, "resnet18", set), *model);
  const ResNetStepOptions options = Options(ConvolutionType::kBf16, "resnet18", set);
  const auto bf16 = MakeFused(set, options, *model);
  for (ResNetStep* step : {fp32.get(), bf16.get()}) {
    ASSERT_THAT(EnqueueOneStep(*step, 0, {kRate}), IsOk());
  }
  EXPECT_NEAR(bf16->EndEpoch()->loss_sum / fp32->EndEpoch()->loss_sum, 1, 0.02);
  const Comparison errors(*bf16->GetGradients(), *fp32->GetGradients(), kBf16Tolerance, NetworkOf(options));
  EXPECT_EQ(errors.beyond, "");
  EXPECT_GT(errors.worst, kFp32Tolerance);
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Returns the values after two epochs that end with a shorter batch.
ResNetValues Trained(const ImageSet& set, const Model& model, bool graphs, bool two_streams, uint32_t micro_batch = 0,
                     bool divide_multiprocessors = true, const Remedies& remedies = {}) {
  ResNetStepOptions options = With(remedies, Options(ConvolutionType::kBf16, "resnet18", set));
  options.micro_batch = micro_batch;
  options.two_streams = two_streams;
  options.divide_multiprocessors = divide_multiprocessors;
  options.autotune = false;  // another choice of engines would give another result
  const auto step = MakeFused(set, options, model);
  ResNetEpochs epochs(*step, kBatch, graphs);
  EXPECT_THAT(epochs.Prepare(kImages, DropLast::kNo), IsOk());
  for (uint32_t epoch = 0; epoch < 2; ++epoch) {
    const auto result = epochs.Train(Order(), epoch, [](uint32_t s) { return kRate / static_cast<float>(s + 1); });
    EXPECT_THAT(result, IsOk());
    EXPECT_EQ(result->images, kImages);
    EXPECT_EQ(result->steps, 3);
  }
  return *step->GetValues();
}

TEST_F(FusedStepTest, GraphsAndASecondStreamChangeNoBit) {
  SKIP_WITHOUT_GPU();
  for (const uint32_t micro_batch : {0u, 12u}) {  // divides 24, and exceeds the last batch's 8
    const ResNetValues plain = Trained(set_, *model_, false, false, micro_batch, false);
    for (const bool graphs : {false, true}) {
      const ResNetValues fast = Trained(set_, *model_, graphs, true, micro_batch, false);
      EXPECT_TRUE(SameBits(fast.weights, plain.weights)) << graphs << micro_batch;
      EXPECT_TRUE(SameBits(fast.batch_norms, plain.batch_norms)) << graphs << micro_batch;
      EXPECT_TRUE(SameBits(fast.running, plain.running)) << graphs << micro_batch;
    }
  }
}

TEST_F(FusedStepTest, OfOtherClassesAndSizesGraphsAndASecondStreamChangeNoBit) {
  SKIP_WITHOUT_GPU();
  for (const uint32_t size : {32u, 64u}) {
    const ImageSet set = SetOf(101, size);
    const auto model = *MakeModel("resnet18", 3, ModelShapeOf(set.info));
    const bool divide = size == kCifar10ImageSize;
    const ResNetValues plain = Trained(set, *model, false, divide, 0, divide);
    for (const bool graphs : {false, true}) {
      const ResNetValues fast = Trained(set, *model, graphs, true, 0, divide);
      EXPECT_TRUE(SameBits(fast.weights, plain.weights)) << graphs << size;
      EXPECT_TRUE(SameBits(fast.batch_norms, plain.batch_norms)) << graphs << size;
      EXPECT_TRUE(SameBits(fast.running, plain.running)) << graphs << size;
    }
  }
}

TEST_F(FusedStepTest, WithRemediesGraphsAndASecondStreamChangeNoBit) {
  SKIP_WITHOUT_GPU();
  const Remedies remedies = {0.1, 0.5, 0.02, false};
  for (const uint32_t micro_batch : {0u, 12u}) {
    for (const bool divide : {false, true}) {
      const ResNetValues plain = Trained(set_, *model_, false, divide, micro_batch, divide, remedies);
      for (const bool graphs : {false, true}) {
        const ResNetValues fast = Trained(set_, *model_, graphs, true, micro_batch, divide, remedies);
        EXPECT_TRUE(SameBits(fast.weights, plain.weights)) << graphs << micro_batch << divide;
        EXPECT_TRUE(SameBits(fast.batch_norms, plain.batch_norms)) << graphs << micro_batch << divide;
        EXPECT_TRUE(SameBits(fast.running, plain.running)) << graphs << micro_batch << divide;
      }
    }
  }
}

// No gradient has this norm, so the factors are exactly 1 and the weight decay.
TEST_F(FusedStepTest, ClippingToAHugeGradientNormChangesNoBit) {
  SKIP_WITHOUT_GPU();
  const ResNetValues plain = Trained(set_, *model_, true, true);
  const ResNetValues clipped = Trained(set_, *model_, true, true, 0, true, {0, 1e6, 0, false});
  EXPECT_TRUE(SameBits(clipped.weights, plain.weights));
  EXPECT_TRUE(SameBits(clipped.batch_norms, plain.batch_norms));
  EXPECT_TRUE(SameBits(clipped.running, plain.running));
}

// Tolerance with a partition of the multiprocessors. It splits sums differently, so its bits differ from those without
// it, but are the same with and without a graph, and in every run. In the forward pass of one step nothing is split
// differently, so all ReLUs have the same signs. In the backward pass, at worst, each of 17 layers changes the rounding
// of every value, 2^-8 of it, and batch norm doubles the error (see above): 2 * sqrt(17) * 2^-8.
constexpr double kDividedTolerance = 0.033;

TEST_F(FusedStepTest, DividedMultiprocessorsChangeNoBitFromRunToRun) {
  SKIP_WITHOUT_GPU();
  for (const uint32_t micro_batch : {0u, 12u}) {
    const ResNetValues plain = Trained(set_, *model_, false, true, micro_batch);
    for (int run = 0; run < 3; ++run) {
      const ResNetValues again = Trained(set_, *model_, true, true, micro_batch);
      EXPECT_TRUE(SameBits(again.weights, plain.weights)) << run << micro_batch;
      EXPECT_TRUE(SameBits(again.batch_norms, plain.batch_norms)) << run << micro_batch;
      EXPECT_TRUE(SameBits(again.running, plain.running)) << run << micro_batch;
    }
  }
  std::vector<ResNetValues> gradients;
  for (const bool divided : {false, true}) {
    ResNetStepOptions options = Options(ConvolutionType::kBf16);
    options.autotune = false;
    options.divide_multiprocessors = divided;
    const auto step = AfterOneStep(set_, options, *model_);
    gradients.push_back(*step->GetGradients());
  }
  EXPECT_EQ(Comparison(gradients[1], gradients[0], kDividedTolerance).beyond, "");
}

// Other SMs split sums differently, like the partition itself. kBatch is so small that SGD runs at the same time.
TEST_F(FusedStepTest, SmsOfALayerAreReplaced) {
  SKIP_WITHOUT_GPU();
  if (HopperMultiprocessors() == 0) {
    GTEST_SKIP() << "no GPU of compute capability 9.0";
  }
  ResNetStepOptions options = Options(ConvolutionType::kBf16);
  options.autotune = false;
  const ResNetValues gradients = *AfterOneStep(set_, options, *model_)->GetGradients();
  options.layer_sms = {{512, 64, 68}, {64, 94, 38}};
  const ResNetValues others = *AfterOneStep(set_, options, *model_)->GetGradients();
  EXPECT_EQ(Comparison(others, gradients, kDividedTolerance).beyond, "");

  options.layer_sms = {{128, 86, 46}};
  EXPECT_THAT(MakeFused(set_, options, *model_)->Prepare(kBatch),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 110 for both at batch 24")));
  options.layer_sms = {{512, 64, 68}};
  options.divide_multiprocessors = false;
  EXPECT_THAT(MakeFused(set_, options, *model_)->Prepare(kBatch),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("have no effect")));
}

// Options of launches that overlap.
struct Early {
  bool weights, next;
};

// Returns the values after seven steps of eight images at decreasing rates, either in one graph or queued one by one.
ResNetValues AfterShortSteps(const ImageSet& set, const Model& model, bool together, const Early& early) {
  constexpr uint32_t kShortBatch = 8, kSteps = kImages / kShortBatch;
  ResNetStepOptions options = Options(ConvolutionType::kBf16);
  options.autotune = false;
  options.early_weights = early.weights;
  options.early_next = early.next;
  const auto step = MakeFused(set, options, model);
  std::vector<float> rates(kSteps);
  for (uint32_t s = 0; s < kSteps; ++s) {
    rates[s] = kRate / static_cast<float>(s + 1);
  }
  EXPECT_THAT(step->Prepare(kShortBatch), IsOk());
  EXPECT_THAT(step->BeginEpoch(Order(), 0, rates), IsOk());
  if (together) {
    const auto graph = CaptureGraph(step->stream(), [&] { return step->Enqueue(kShortBatch, kSteps); });
    EXPECT_THAT(graph, IsOk());
    EXPECT_EQ(cudaGraphLaunch(graph->get(), step->stream()), cudaSuccess);
    EXPECT_THAT(step->EndEpoch(), IsOk());
  } else {
    for (uint32_t s = 0; s < kSteps; ++s) {
      EXPECT_THAT(step->Enqueue(kShortBatch, 1), IsOk());
    }
    EXPECT_THAT(step->EndEpoch(), IsOk());
  }
  return *step->GetValues();
}

// Within a graph, a step also makes the next step's batch.
TEST_F(FusedStepTest, StepsOfOneGraphAreThoseOneByOne) {
  SKIP_WITHOUT_GPU();
  const ResNetValues one_by_one = AfterShortSteps(set_, *model_, false, {true, false});
  for (int run = 0; run < 3; ++run) {
    const ResNetValues together = AfterShortSteps(set_, *model_, true, {true, false});
    EXPECT_TRUE(SameBits(together.weights, one_by_one.weights)) << run;
    EXPECT_TRUE(SameBits(together.batch_norms, one_by_one.batch_norms)) << run;
    EXPECT_TRUE(SameBits(together.running, one_by_one.running)) << run;
  }
}

// A convolution that read weights before SGD had written them would train other values.
TEST_F(FusedStepTest, EarlyLaunchesChangeNoBit) {
  SKIP_WITHOUT_GPU();
  const ResNetValues plain = AfterShortSteps(set_, *model_, false, {false, false});
  for (const Early& early : std::vector<Early>{{true, false}, {false, true}, {true, true}}) {
    for (const bool graph : {false, true}) {
      const ResNetValues overlapped = AfterShortSteps(set_, *model_, graph, early);
      EXPECT_TRUE(SameBits(overlapped.weights, plain.weights)) << early.weights << early.next << graph;
      EXPECT_TRUE(SameBits(overlapped.batch_norms, plain.batch_norms)) << early.weights << early.next << graph;
      EXPECT_TRUE(SameBits(overlapped.running, plain.running)) << early.weights << early.next << graph;
    }
  }
}

// A batch norm uses the same arithmetic in its own kernel and in the convolution that took its sums.
TEST_F(FusedStepTest, FusedBatchNormChangesNoBit) {
  SKIP_WITHOUT_GPU();
  std::vector<ResNetValues> values;
  for (const bool fused_batch_norm : {false, true}) {
    ResNetStepOptions options = Options(ConvolutionType::kBf16);
    options.autotune = false;
    options.fused_batch_norm = fused_batch_norm;
    const auto step = AfterOneStep(set_, options, *model_);
    values.push_back(*step->GetValues());
  }
  EXPECT_TRUE(SameBits(values[1].weights, values[0].weights));
  EXPECT_TRUE(SameBits(values[1].batch_norms, values[0].batch_norms));
  EXPECT_TRUE(SameBits(values[1].running, values[0].running));
}

// The order of the sums differs, which changes the rounding of the gradients below: as with a partition, at most.
TEST_F(FusedStepTest, ShortBatchNormsAreNearThoseOfTwoLaunches) {
  SKIP_WITHOUT_GPU();
  std::vector<ResNetValues> gradients;
  for (const bool short_batch_norms : {false, true}) {
    ResNetStepOptions options = Options(ConvolutionType::kBf16);
    options.autotune = false;
    options.short_batch_norms = short_batch_norms;
    const auto step = AfterOneStep(set_, options, *model_);
    gradients.push_back(*step->GetGradients());
  }
  EXPECT_EQ(Comparison(gradients[1], gradients[0], kDividedTolerance).beyond, "");
}

TEST_F(FusedStepTest, ReportsWhatItChoseForEachConvolution) {
  SKIP_WITHOUT_GPU();
  ResNetStepOptions options = Options(ConvolutionType::kFp32);
  options.autotune = false;
  options.own_convolutions = false;
  const auto step = MakeFused(set_, options, *model_);
  EXPECT_TRUE(step->Kernels(kBatch).empty());
  ASSERT_THAT(step->Prepare(kBatch), IsOk());
  const std::vector<UnitKernels> kernels = step->Kernels(kBatch);
  ASSERT_EQ(kernels.size(), 20);
  EXPECT_EQ(kernels[0].convolution, "conv1");
  EXPECT_EQ(kernels[0].data_gradient, "");
  EXPECT_THAT(kernels[0].weight_gradient, HasSubstr("engine"));
  for (size_t u = 1; u < kernels.size(); ++u) {
    for (const std::string& name : {kernels[u].forward, kernels[u].data_gradient, kernels[u].weight_gradient}) {
      EXPECT_THAT(name, HasSubstr("engine")) << kernels[u].convolution;
    }
  }
}

// An instrumented epoch trains like a normal one, and does not change the graphs of normal epochs.
TEST_F(FusedStepTest, TimestampsChangeNoBitAndComeInOrder) {
  SKIP_WITHOUT_GPU();
  const auto rate = [](uint32_t s) { return kRate / static_cast<float>(s + 1); };
  for (const bool graphs : {false, true}) {
    ResNetStepOptions options = Options(ConvolutionType::kBf16);
    options.autotune = false;
    const auto step = MakeFused(set_, options, *model_);
    ResNetEpochs epochs(*step, kBatch, graphs);
    ASSERT_THAT(epochs.Prepare(kImages, DropLast::kNo), IsOk());
    EXPECT_THAT(epochs.TrainInstrumented(Order(), 0, rate),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("must follow")));
    ASSERT_THAT(epochs.Train(Order(), 0, rate), IsOk());
    const auto instrumented = epochs.TrainInstrumented(Order(), 1, rate);
    ASSERT_THAT(instrumented, IsOk());
    EXPECT_TRUE(SameBits(step->GetValues()->weights, Trained(set_, *model_, graphs, true).weights)) << graphs;

    ASSERT_EQ(instrumented->timestamps.size(), 3 * kStepTimestamps);
    const auto steps = ToInstrumentedSteps(instrumented->timestamps, kImages / kBatch);
    ASSERT_THAT(steps, IsOk());
    EXPECT_EQ(steps->full_seconds.size(), 2);
    double sum = 0;
    for (const proto::StepPart& part : steps->parts.part()) {
      sum += part.epoch_seconds();
    }
    for (const int part : {0, 1, 2}) {  // batch, forward, backward: each has at least one kernel
      EXPECT_GT(steps->parts.part(part).epoch_seconds(), 0) << steps->parts.part(part).name();
    }
    // The events come before the first timestamp and after the last. Their resolution is half a microsecond
    // (cudaEventElapsedTime).
    EXPECT_LE(sum, instrumented->device_seconds + 1e-6);
    EXPECT_GT(sum, 0.1 * instrumented->device_seconds);

    const auto plain = epochs.Train(Order(), 2, rate);
    ASSERT_THAT(plain, IsOk());
    EXPECT_TRUE(plain->timestamps.empty());
  }
}

TEST_F(FusedStepTest, ValuesComeBackAsTheyWere) {
  SKIP_WITHOUT_GPU();
  const auto values = ToFusedValues(*model_);
  ASSERT_THAT(values, IsOk());
  const auto other = *MakeModel("resnet18", 4);
  ASSERT_THAT(FromFusedValues(*values, *other), IsOk());
  EXPECT_TRUE(SameBits(ToFusedValues(*other)->weights, values->weights));
  const auto step = MakeFused(set_, Options(ConvolutionType::kBf16), *model_);
  const auto back = step->GetValues();
  ASSERT_THAT(back, IsOk());
  EXPECT_TRUE(SameBits(back->weights, values->weights));
  EXPECT_TRUE(SameBits(back->batch_norms, values->batch_norms));
  EXPECT_TRUE(SameBits(back->running, values->running));
}

TEST_F(FusedStepTest, ReportsItsMemoryBeforeItAllocates) {
  SKIP_WITHOUT_GPU();
  const auto step = MakeFused(set_, Options(ConvolutionType::kBf16), *model_);
  EXPECT_GE(ResNetStep::PredictBytes(Options(ConvolutionType::kBf16), kImages), step->bytes());
  ResNetStepOptions options = With({0, 0.5, 0.02, false}, Options(ConvolutionType::kBf16));
  options.micro_batch = kBatch / 3;
  const auto with_gradient_norms = MakeFused(set_, options, *model_);
  EXPECT_GE(ResNetStep::PredictBytes(options, kImages), with_gradient_norms->bytes());
  ResNetStepOptions huge = Options(ConvolutionType::kBf16);
  huge.max_batch = 1'000'000;
  ResidentImages none;
  EXPECT_THAT(ResNetStep::Make(huge, none).status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("bytes on the GPU")));
}

// Exchange between two ranks with the same gradients: the sum is twice one rank's gradient.
class SameTwice : public GradientExchange {
 public:
  explicit SameTwice(CommunicationDtype dtype) : dtype_(dtype) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    for (cudaEvent_t* event : {&ready_, &done_}) {
      EXPECT_EQ(cudaEventCreateWithFlags(event, cudaEventDisableTiming), cudaSuccess);
    }
  }
  ~SameTwice() override {
    cudaEventDestroy(ready_);
    cudaEventDestroy(done_);
    cudaStreamDestroy(stream_);
  }

  uint32_t ranks() const override { return 2; }
  CommunicationDtype communication_dtype() const override { return dtype_; }
  uint32_t max_multiprocessors() const override { return 0; }

  absl::Status Sum(const RangeToSum& range) override {
    ++sums;
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(ready_, range.ready), "ready"));
    RETURN_IF_ERROR(CudaStatus(cudaStreamWaitEvent(stream_, ready_), "ready"));
    RETURN_IF_ERROR(range.type == CommunicationDtype::kBf16
                        ? Twice(static_cast<__nv_bfloat16*>(range.data), range.count)
                        : Twice(static_cast<float*>(range.data), range.count));
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(done_, stream_), "done"));
    return CudaStatus(cudaStreamWaitEvent(range.then, done_), "done");
  }

  absl::Status EndStep(cudaStream_t) override { return absl::OkStatus(); }

  int sums = 0;

 private:
  template <typename T>
  absl::Status Twice(T* data, size_t count) const {
    return CudaStatus(AddPartials<T>({1, count, count}, data, data, stream_), "adding");
  }

  const CommunicationDtype dtype_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

// Twice a number and half of it are exact in fp32 and bf16. So the mean over two ranks with the same gradients is
// exactly these gradients, if the communication dtype holds them exactly.
TEST_F(FusedStepTest, TwoRanksWithTheSameGradientsTrainAsOne) {
  SKIP_WITHOUT_GPU();
  for (const ConvolutionType type : {ConvolutionType::kFp32, ConvolutionType::kBf16}) {
    for (const bool two_streams : {false, true}) {
      for (const bool graphs : {false, true}) {
        ResNetStepOptions options = Options(type);
        options.autotune = false;  // the choice of engines is not repeatable
        options.two_streams = two_streams;
        const auto alone = AfterTwoEpochs(options, graphs);
        for (const CommunicationDtype dtype : {CommunicationDtype::kFp32, CommunicationDtype::kBf16}) {
          if (dtype == CommunicationDtype::kBf16 && type != ConvolutionType::kBf16) {
            continue;  // rounds
          }
          SameTwice exchange(dtype);
          options.exchange = &exchange;
          const auto together = AfterTwoEpochs(options, graphs);
          EXPECT_EQ(alone->weights, together->weights) << "two streams " << two_streams << ", graphs " << graphs;
          EXPECT_EQ(alone->batch_norms, together->batch_norms);
          EXPECT_EQ(alone->running, together->running);
          EXPECT_GE(exchange.sums, 4);  // ranges: early, the rest, batch norms, stem
        }
      }
    }
  }
}

// Timestamps of the exchange are taken as well, and training gives the same values.
TEST_F(FusedStepTest, TimestampsOfAnExchangeChangeNoBitAndComeInOrder) {
  SKIP_WITHOUT_GPU();
  const auto rate = [](uint32_t) { return kRate; };
  for (const bool graphs : {false, true}) {
    ResNetStepOptions options = Options(ConvolutionType::kBf16);
    options.autotune = false;
    SameTwice exchange(CommunicationDtype::kBf16);
    options.exchange = &exchange;
    const auto step = MakeFused(set_, options, *model_);
    ResNetEpochs epochs(*step, kBatch, graphs);
    ASSERT_THAT(epochs.Prepare(kImages, DropLast::kNo), IsOk());
    ASSERT_THAT(epochs.Train(Order(), 0, rate), IsOk());
    const auto instrumented = epochs.TrainInstrumented(Order(), 1, rate);
    ASSERT_THAT(instrumented, IsOk());
    EXPECT_TRUE(SameBits(step->GetValues()->weights, AfterTwoEpochs(options, graphs)->weights)) << graphs;
    const auto steps = ToExchangeSteps(instrumented->timestamps, instrumented->range_timestamps);
    ASSERT_THAT(steps, IsOk());
    ASSERT_EQ(steps->size(), 3);
    for (const ExchangeStep& one : *steps) {
      EXPECT_GE(one.ranges.size(), 4);  // ranges: early, the rest, batch norms, stem
      EXPECT_LE(one.ranges.back().summed_seconds, one.backward_seconds + one.update_seconds + 1e-9);
    }
  }
}

// A step in micro-batches sends its gradients once. Its sum is added in another order, so it differs from a single
// rank's by rounding.
TEST_F(FusedStepTest, MicroBatchesAreSentOnce) {
  SKIP_WITHOUT_GPU();
  ResNetStepOptions options = Options(ConvolutionType::kFp32);
  SameTwice whole(CommunicationDtype::kFp32);
  options.exchange = &whole;
  AfterOneStep(set_, options, *model_);
  options.micro_batch = kBatch / 3;
  options.exchange = nullptr;
  const auto alone = AfterOneStep(set_, options, *model_)->GetValues();
  SameTwice divided(CommunicationDtype::kFp32);
  options.exchange = &divided;
  const auto together = AfterOneStep(set_, options, *model_)->GetValues();
  EXPECT_EQ(divided.sums, whole.sums);
  EXPECT_EQ(Comparison(*together, *alone, 1e-6).beyond, "");
}

// Two ranks with the same gradients have one rank's gradient norms, of sums that the exchange doubled. This is exact,
// also in micro-batches, whose sums are the same arrays with and without an exchange.
TEST_F(FusedStepTest, TwoRanksWithTheSameGradientsHaveTheGradientNormsOfOne) {
  SKIP_WITHOUT_GPU();
  const Remedies remedies = {0.1, 0.5, 0.02, false};
  for (const ConvolutionType type : {ConvolutionType::kFp32, ConvolutionType::kBf16}) {
    for (const uint32_t micro_batch : {0u, kBatch / 3}) {
      for (const bool graphs : {false, true}) {
        ResNetStepOptions options = With(remedies, Options(type));
        options.micro_batch = micro_batch;
        const auto alone = AfterTwoEpochs(options, graphs);
        SameTwice exchange(CommunicationDtype::kFp32);
        options.exchange = &exchange;
        const auto together = AfterTwoEpochs(options, graphs);
        EXPECT_EQ(alone->weights, together->weights) << "micro-batches of " << micro_batch << ", graphs " << graphs;
        EXPECT_EQ(alone->batch_norms, together->batch_norms);
        EXPECT_EQ(alone->running, together->running);
      }
    }
  }
}

// fp32 gradients lose a rounding of 2^-9 each if the communication dtype is bf16. The update is a small part of the
// weights.
TEST_F(FusedStepTest, SendingBf16RoundsFp32Gradients) {
  SKIP_WITHOUT_GPU();
  ResNetStepOptions options = Options(ConvolutionType::kFp32);
  const auto before = MakeFused(set_, options, *model_)->GetValues();
  const auto alone = AfterOneStep(set_, options, *model_)->GetValues();
  SameTwice exchange(CommunicationDtype::kBf16);
  options.exchange = &exchange;
  const auto together = AfterOneStep(set_, options, *model_)->GetValues();
  ASSERT_THAT(together, IsOk());
  double worst = 0, moved = 0;
  for (size_t i = 0; i < alone->weights.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(together->weights[i]) - alone->weights[i]) -
                                std::ldexp(std::abs(static_cast<double>(alone->weights[i]) - before->weights[i]), -8));
    moved = std::max(moved, std::abs(static_cast<double>(alone->weights[i]) - before->weights[i]));
  }
  EXPECT_GT(moved, 1e-4);
  EXPECT_LE(worst, 1e-6);  // weight decay is also part of the step, and fp32 rounds
  EXPECT_NE(together->weights, alone->weights);
}

}  // namespace
}  // namespace lockstep
