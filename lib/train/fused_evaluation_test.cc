// Compares the evaluation by the fused step with LibTorch's evaluation of the same weights. All tests need a GPU.
#include <ATen/ops/from_blob.h>
#include <ATen/ops/log_softmax.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/device/device.h"
#include "lib/fused/evaluation_images.h"
#include "lib/fused/resnet_epoch.h"
#include "lib/fused/resnet_evaluation.h"
#include "lib/fused/resnet_step.h"
#include "lib/testing/matchers.h"
#include "lib/train/evaluate.h"
#include "lib/train/fused_weights.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::SmallPixel;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr uint32_t kTrainImages = 56;
constexpr uint32_t kBatch = 24;
constexpr float kRate = 0.05f;

#define SKIP_WITHOUT_GPU() \
  if (!HaveGpu()) GTEST_SKIP() << "no CUDA device"

const c10::Device kGpu(c10::kCUDA, 0);
constexpr bool kWithGraph = true;

// Network and images of one case.
struct Case {
  std::string model = "resnet18";
  uint32_t classes = 10;
  uint32_t image_size = 32;
  uint32_t micro_batch = 0;
};

// Returns `count` images, whose pixels differ between sets with another `first`.
ImageSet SetOf(const Case& of, uint32_t count, uint32_t first) {
  ImageSet set = SmallImageSet(proto::TEST, count);
  set.info.set_height(of.image_size);
  set.info.set_width(of.image_size);
  set.info.clear_class_name();
  for (uint32_t k = 0; k < of.classes; ++k) {
    set.info.add_class_name(absl::StrCat("class ", k));
  }
  set.pixels.clear();
  for (uint32_t image = 0; image < count; ++image) {
    set.labels[image] = static_cast<uint16_t>(of.classes - 1 - image * 7 % of.classes);
    for (uint32_t i = 0; i < 3 * of.image_size * of.image_size; ++i) {
      const uint32_t pixel = i % (of.image_size * of.image_size);
      set.pixels.push_back(
          SmallPixel(first + image, i / (of.image_size * of.image_size), pixel / of.image_size, pixel % of.image_size));
    }
  }
  return set;
}

LoaderOptions Loader(const ImageSet& set) {
  LoaderOptions loader;
  EXPECT_THAT(NormalizeAsTrained(set.info, loader), IsOk());
  return loader;
}

ResidentImages Resident(const ImageSet& set) {
  const LoaderOptions loader = Loader(set);
  return {set.pixels.data(), set.labels.data(), static_cast<uint32_t>(set.size()), loader.mean, loader.std};
}

ResNetStepOptions Options(const Case& of, ConvolutionType type) {
  ResNetStepOptions options;
  options.type = type;
  options.stage_blocks = *FusedStageBlocks(of.model);
  options.classes = of.classes;
  options.image_size = of.image_size;
  options.max_batch = kBatch;
  options.micro_batch = of.micro_batch;
  options.autotune = false;
  options.deterministic = true;
  return options;
}

void TrainAnEpoch(ResNetEpochs& epochs, uint32_t epoch) {
  std::vector<uint32_t> order(kTrainImages);
  for (uint32_t i = 0; i < kTrainImages; ++i) {
    order[i] = i * 31 % kTrainImages;
  }
  EXPECT_THAT(epochs.Train(order, epoch, [](uint32_t) { return kRate; }), IsOk());
}

// A network that the fused step has trained for two epochs, so that its running statistics are not those of a new one,
// and the same network in LibTorch.
class Trained {
 public:
  Trained(const Case& of, const ResNetStepOptions& options)
      : set_(SetOf(of, kTrainImages, 0)), model_(*MakeModel(of.model, 3, ModelShapeOf(set_.info))),
        step_(*ResNetStep::Make(options, Resident(set_))), epochs_(*step_, kBatch, true) {
    EXPECT_THAT(step_->SetValues(*ToFusedValues(*model_)), IsOk());
    EXPECT_THAT(epochs_.Prepare(kTrainImages, DropLast::kNo), IsOk());
    TrainAnEpoch(epochs_, 0);
    TrainAnEpoch(epochs_, 1);
    EXPECT_THAT(FromFusedValues(*step_->GetValues(), *model_), IsOk());
    model_->to(kGpu);
    model_->eval();
  }

  ResNetStep& step() { return *step_; }
  ResNetEpochs& epochs() { return epochs_; }
  Model& model() { return *model_; }

 private:
  const ImageSet set_;
  const std::shared_ptr<Model> model_;
  const std::unique_ptr<ResNetStep> step_;
  ResNetEpochs epochs_;
};

// LibTorch's logits in fp32: double (images, classes) on the CPU.
torch::Tensor ReferenceLogits(Model& model, const ImageSet& set, bool mirrored) {
  const at::NoGradGuard no_grad;
  const LoaderOptions loader = Loader(set);
  const auto per_channel = [](const std::array<float, 3>& numbers) {
    return at::from_blob(const_cast<float*>(numbers.data()), {1, 3, 1, 1}, at::kFloat).clone();
  };
  torch::Tensor images = at::from_blob(const_cast<uint8_t*>(set.pixels.data()),
                                       {static_cast<int64_t>(set.size()), 3, set.height(), set.width()}, at::kByte)
                             .to(at::kFloat)
                             .div_(255)
                             .sub_(per_channel(loader.mean))
                             .div_(per_channel(loader.std));
  if (mirrored) {
    images = images.flip({3}).contiguous();
  }
  return model.forward(images.to(kGpu)).to(at::kCPU).to(at::kDouble);
}

// Bounds of the counts if each logit differs from the reference's by at most `error`. The loss of an image then differs
// by at most 2 * error.
void ExpectCounts(const ResNetCounts& found, const torch::Tensor& logits, const ImageSet& set, double error) {
  const auto count = static_cast<int64_t>(set.size());
  const torch::Tensor losses = logits.log_softmax(1).neg();
  double loss_sum = 0;
  uint32_t surely_correct = 0, possibly_correct = 0;
  for (int64_t image = 0; image < count; ++image) {
    const int64_t label = set.labels[image];
    torch::Tensor others = logits[image].clone();
    const double own = others[label].item<double>();
    others[label] = -INFINITY;
    const double margin = own - others.max().item<double>();
    surely_correct += margin > 2 * error ? 1 : 0;
    possibly_correct += margin >= -2 * error ? 1 : 0;
    loss_sum += losses[image][label].item<double>();
  }
  EXPECT_GE(found.correct, surely_correct);
  EXPECT_LE(found.correct, possibly_correct);
  EXPECT_NEAR(found.loss_sum / static_cast<double>(count), loss_sum / static_cast<double>(count), 2 * error);
}

// Largest distance of a logit from the mean logit of its image.
double Spread(const torch::Tensor& logits) {
  return logits.sub(logits.mean(1, /*keepdim=*/true)).abs().max().item<double>();
}

// Errors of logits, relative to their spread.
// - fp32: sums of up to 4,608 products that are added in another order differ by 2^-24 * sqrt(4608) = 4e-6 of their
//   size in each of at most 36 convolutions; these add up to 1.5e-4 if all have the same sign.
// - bf16: each convolution rounds its input, weights and output by 2^-9 of their size, an independent error of
//   sqrt(3) * 2^-9 * sqrt(36) = 0.02 in the end; twice this for the largest of all logits.
constexpr double kFp32Error = 1.5e-4;
constexpr double kBf16Error = 0.04;

// Compares counts and losses in sets that are smaller than a batch, equal to two batches, and larger by a rest.
void ExpectEvaluatesAsLibTorchDoes(const Case& of, const ResNetStepOptions& options) {
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  Trained trained(of, options);
  for (const uint32_t count : {7u, 2 * kBatch, 2 * kBatch + 5}) {
    const ImageSet set = SetOf(of, count, 1000);
    const torch::Tensor plain = ReferenceLogits(trained.model(), set, false);
    const torch::Tensor mean = plain.add(ReferenceLogits(trained.model(), set, true)).div(2);
    const double error = (options.type == ConvolutionType::kFp32 ? kFp32Error : kBf16Error) * Spread(plain);
    for (const bool graphs : {false, true}) {
      for (const EvaluatedViews views : {EvaluatedViews::kPlain, EvaluatedViews::kPlainAndMirrored}) {
        SCOPED_TRACE(absl::StrCat(count, " images, graphs ", graphs, ", spread ", Spread(plain)));
        auto evaluation = ResNetEvaluation::Make(trained.step(), Resident(set), of.image_size, views, graphs);
        ASSERT_THAT(evaluation, IsOk());
        const auto counts = (*evaluation)->Run();
        ASSERT_THAT(counts, IsOk());
        ExpectCounts(counts->plain, plain, set, error);
        if (views == EvaluatedViews::kPlainAndMirrored) {
          ExpectCounts(counts->mirrored, mean, set, error);
        } else {
          EXPECT_EQ(counts->mirrored.correct, 0u);
        }
        EXPECT_EQ((*evaluation)->bytes(), EvaluationImages::PredictBytes(of.image_size, count));
        const auto again = (*evaluation)->Run();
        ASSERT_THAT(again, IsOk());
        EXPECT_EQ(again->plain.correct, counts->plain.correct);
        EXPECT_EQ(again->plain.loss_sum, counts->plain.loss_sum);
      }
    }
  }
}

const Case kCases[] = {{}, {"resnet18", 100}, {"resnet34", 10, 16}, {"resnet18", 17, 40}, {"resnet18", 100, 64, 10}};

TEST(FusedEvaluationTest, Fp32IsLibTorchsEvaluation) {
  SKIP_WITHOUT_GPU();
  for (const Case& of : kCases) {
    SCOPED_TRACE(absl::StrCat(of.model, ", ", of.classes, " classes of ", of.image_size));
    ExpectEvaluatesAsLibTorchDoes(of, Options(of, ConvolutionType::kFp32));
  }
}

TEST(FusedEvaluationTest, Bf16IsLibTorchsEvaluationUpToItsRounding) {
  SKIP_WITHOUT_GPU();
  for (const Case& of : kCases) {
    SCOPED_TRACE(absl::StrCat(of.model, ", ", of.classes, " classes of ", of.image_size));
    ExpectEvaluatesAsLibTorchDoes(of, Options(of, ConvolutionType::kBf16));
  }
}

// By default, convolutions apply the batch norm where a launch can. The others have sums in the convolutions, or batch
// norms in launches of their own.
TEST(FusedEvaluationTest, EveryImplementationOfAUnitEvaluates) {
  SKIP_WITHOUT_GPU();
  ResNetStepOptions options = Options({}, ConvolutionType::kBf16);
  options.fused_batch_norm = false;
  ExpectEvaluatesAsLibTorchDoes({}, options);
  options.fused_sums = false;
  ExpectEvaluatesAsLibTorchDoes({}, options);
}

// With the counts of LibTorch's Evaluator, which training runs use otherwise.
TEST(FusedEvaluationTest, CountsAreTheEvaluators) {
  SKIP_WITHOUT_GPU();
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  const Case of;
  Trained trained(of, Options(of, ConvolutionType::kFp32));
  const ImageSet set = SetOf(of, 53, 0);  // images that it was trained on
  const LoaderOptions loader = Loader(set);
  const auto expected =
      Evaluator(set, loader.mean, loader.std, kCudaEvaluationBatch, kGpu).CountCorrectMirrored(trained.model());
  ASSERT_THAT(expected, IsOk());
  const auto evaluation =
      ResNetEvaluation::Make(trained.step(), Resident(set), 32, EvaluatedViews::kPlainAndMirrored, kWithGraph);
  ASSERT_THAT(evaluation, IsOk());
  const auto counts = (*evaluation)->Run();
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->plain.correct, expected->plain);
  EXPECT_EQ(counts->mirrored.correct, expected->mirrored);
}

// Returns all values and momenta after three epochs, with an evaluation between them if `evaluate`.
std::vector<ResNetValues> AfterThreeEpochs(ConvolutionType type, bool evaluate) {
  const Case of;
  Trained trained(of, Options(of, type));
  const ImageSet set = SetOf(of, 53, 0);
  if (evaluate) {
    const auto evaluation =
        ResNetEvaluation::Make(trained.step(), Resident(set), 32, EvaluatedViews::kPlainAndMirrored, kWithGraph);
    EXPECT_THAT(evaluation, IsOk());
    EXPECT_THAT((*evaluation)->Run(), IsOk());
  }
  TrainAnEpoch(trained.epochs(), 2);
  return {*trained.step().GetValues(), *trained.step().GetMomentum()};
}

TEST(FusedEvaluationTest, AnEvaluationDoesNotChangeTheTraining) {
  SKIP_WITHOUT_GPU();
  for (const ConvolutionType type : {ConvolutionType::kFp32, ConvolutionType::kBf16}) {
    const std::vector<ResNetValues> with = AfterThreeEpochs(type, true), without = AfterThreeEpochs(type, false);
    for (const size_t i : {0, 1}) {
      EXPECT_EQ(with[i].weights, without[i].weights);
      EXPECT_EQ(with[i].batch_norms, without[i].batch_norms);
      EXPECT_EQ(with[i].running, without[i].running);
    }
  }
}

// The running statistics of another rank.
TEST(FusedEvaluationTest, OtherRunningStatisticsCanBeGiven) {
  SKIP_WITHOUT_GPU();
  ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  const Case of;
  Trained trained(of, Options(of, ConvolutionType::kFp32));
  const ImageSet set = SetOf(of, 53, 1000);
  const auto evaluation = ResNetEvaluation::Make(trained.step(), Resident(set), 32, EvaluatedViews::kPlain, kWithGraph);
  ASSERT_THAT(evaluation, IsOk());
  const auto own = (*evaluation)->Run();
  ResNetValues values = *trained.step().GetValues();
  for (float& number : values.running) {
    number *= 1.5f;
  }
  ASSERT_THAT(FromFusedValues(values, trained.model()), IsOk());
  const torch::Tensor logits = ReferenceLogits(trained.model(), set, false);
  const auto other = (*evaluation)->Run(values.running);
  ASSERT_THAT(other, IsOk());
  ExpectCounts(other->plain, logits, set, kFp32Error * Spread(logits));
  EXPECT_NE(other->plain.loss_sum, own->plain.loss_sum);
  EXPECT_EQ((*evaluation)->Run()->plain.loss_sum, own->plain.loss_sum);
  EXPECT_THAT((*evaluation)->Run({1, 2}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("running statistics, found 2")));
}

}  // namespace
}  // namespace lockstep
