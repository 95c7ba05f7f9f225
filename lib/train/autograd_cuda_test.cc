// Compares the fast variants of LibTorch's autograd on a GPU (CUDA graph, channels-last, TF32, bf16) with the plain
// one.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/device/device.h"
#include "lib/testing/matchers.h"
#include "lib/train/autograd_trainer.h"

namespace lockstep {
namespace {

using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;

constexpr uint32_t kImages = 56;
constexpr uint32_t kBatch = 24;  // two batches and a shorter one of 8
constexpr uint32_t kEpochs = 3;

struct Way {
  proto::Precision precision = proto::FP32;
  bool channels_last = false;
  bool graph = false;
  bool remedies = false;  // remedies for large batches
  bool resident = false;  // batches are made on the GPU
};

std::string Name(const Way& way) {
  return absl::StrCat(proto::Precision_Name(way.precision), way.channels_last ? ", channels last" : "",
                      way.graph ? ", graph" : "", way.remedies ? ", remedies" : "", way.resident ? ", resident" : "");
}

class AutogradCudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
    ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  }

  // Learning rates are 1/16 and, in the last epoch, 1/32: fp32, in which a graph reads them, holds both exactly.
  TrainerInput Input(const Way& way, uint32_t batch) {
    TrainerInput input;
    input.spec.set_model("resnet18");
    input.spec.set_device(proto::CUDA);
    input.spec.set_precision(way.precision);
    input.spec.set_channels_last(way.channels_last);
    input.spec.set_cuda_graph(way.graph);
    input.spec.set_resident_images(way.resident);
    if (way.remedies) {
      input.spec.set_label_smoothing(0.125);
      input.spec.set_clip_norm(0.5);
      input.spec.set_lars(0.25);
    }
    input.spec.set_learning_rate(0.0625);
    input.spec.set_momentum(0.9);
    input.spec.set_schedule(proto::MULTISTEP);
    input.spec.add_lr_milestones(kEpochs - 1);
    input.spec.set_lr_gamma(0.5);
    input.spec.set_repeats(kEpochs);
    EXPECT_THAT(CheckTrainingSpec(input.spec), IsOk());
    input.loader.batch_size = batch;
    input.loader.augment = true;
    EXPECT_THAT(NormalizeAsTrained(images_.info, input.loader), IsOk());
    input.images = &images_;
    input.model = *MakeModel("resnet18", 3);
    input.device = c10::Device(c10::kCUDA, 0);
    return input;
  }

  const ImageSet images_ = SmallImageSet(proto::TRAIN, kImages);
  Progress progress_{"test", uint64_t{kEpochs} * kImages, "images"};
};

TEST_F(AutogradCudaTest, AGraphChangesNoBit) {
  for (const Way& way :
       {Way(), Way{proto::FP32, false, false, true}, Way{proto::BF16, true}, Way{proto::TF32, false}}) {
    SCOPED_TRACE(Name(way));
    const auto plain = MakeAutogradTrainer(Input(way, kBatch));
    const auto graph = MakeAutogradTrainer(Input({way.precision, way.channels_last, true, way.remedies}, kBatch));
    for (uint32_t epoch = 0; epoch < kEpochs; ++epoch) {
      const auto expected = plain->Train(epoch, progress_), found = graph->Train(epoch, progress_);
      ASSERT_THAT(expected, IsOk());
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(found->steps, 3u);
      EXPECT_EQ(found->images, kImages);
      EXPECT_EQ(found->accuracy, expected->accuracy);
      EXPECT_NEAR(found->mean_loss, expected->mean_loss,
                  1e-12 * expected->mean_loss);  // the same sum in fp64, perhaps with fused operations
      EXPECT_EQ(found->steps_seconds.size(), 3u);
      EXPECT_GT(found->step_seconds, 0);
    }
    EXPECT_TRUE(*graph->GetState() == *plain->GetState());
  }
}

// The batches have the same bits, so the weights have, too.
TEST_F(AutogradCudaTest, BatchesMadeOnTheGpuChangeNoBit) {
  for (const Way& way : {Way{proto::FP32, false, true}, Way{proto::BF16, true, true}}) {
    for (const bool drop_last : {false, true}) {
      SCOPED_TRACE(Name(way));
      TrainerInput loaded = Input(way, kBatch),
                   resident = Input({way.precision, way.channels_last, true, false, true}, kBatch);
      loaded.loader.drop_last = resident.loader.drop_last = drop_last;
      if (drop_last) {  // the other run has the default
        loaded.loader.rule = resident.loader.rule = {CropBorder::kReflect, FlipRule::kAlternating, 12};
      }
      const auto expected = MakeAutogradTrainer(loaded), found = MakeAutogradTrainer(resident);
      for (uint32_t epoch = 0; epoch < kEpochs; ++epoch) {
        const auto loaded_epoch = expected->Train(epoch, progress_), resident_epoch = found->Train(epoch, progress_);
        ASSERT_THAT(loaded_epoch, IsOk());
        ASSERT_THAT(resident_epoch, IsOk());
        EXPECT_EQ(resident_epoch->steps, loaded_epoch->steps);
        EXPECT_EQ(resident_epoch->images, loaded_epoch->images);
        EXPECT_EQ(resident_epoch->mean_loss, loaded_epoch->mean_loss);
      }
      EXPECT_TRUE(*found->GetState() == *expected->GetState());
    }
  }
}

TEST_F(AutogradCudaTest, AGraphGoesOnFromAState) {
  const Way way = {proto::FP32, false, true};
  const auto whole = MakeAutogradTrainer(Input(way, kBatch));
  ASSERT_THAT(whole->Train(0, progress_), IsOk());
  const TrainingArrays after_first = *whole->GetState();
  ASSERT_THAT(whole->Train(1, progress_), IsOk());
  const auto other = MakeAutogradTrainer(Input(way, kBatch));
  ASSERT_THAT(other->SetState(after_first), IsOk());
  ASSERT_THAT(other->Train(1, progress_), IsOk());
  EXPECT_TRUE(*other->GetState() == *whole->GetState());
}

TEST_F(AutogradCudaTest, AGraphsPartsHaveNoTimes) {
  const auto graph = MakeAutogradTrainer(Input({proto::FP32, false, true}, kBatch));
  ASSERT_THAT(graph->Train(0, progress_), IsOk());
  proto::SweepPoint point;
  graph->Describe(point);
  EXPECT_NE(point.backward_seconds().absent_reason(), "");
  EXPECT_EQ(point.copy_seconds().absent_reason(), "");
  EXPECT_GT(point.peak_memory_bytes(), 0u);
}

// Returns the momenta of the state. After one step from zeros without weight decay these are the gradients.
std::vector<float> Gradients(const TrainingArrays& state) {
  std::vector<float> all;
  for (const auto& [name, bytes] : state) {
    if (absl::StartsWith(name, "momentum/")) {
      const size_t count = bytes.size() / sizeof(float);
      all.resize(all.size() + count);
      std::memcpy(all.data() + all.size() - count, bytes.data(), bytes.size());
    }
  }
  return all;
}

double RelativeError(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / norm);
}

// Bounds of the gradients' relative difference from fp32 and NCHW. They are derived as in fused_step_test: the square
// root of the share of ReLUs whose sign a rounding changes.
//
//   channels-last  sums in another order: 0.0074 there
//   tf32           Both inputs of a product are truncated to 11 significant bits, a mean error of 0.58 * 2^-10 of their
//                  size each, or less if they are rounded: 8e-4 per layer, 0.4 of bf16's 2e-3. The square root is
//                  0.28 * sqrt(0.4) = 0.18, doubled as there.
//   bf16           0.56 there
struct Expectation {
  Way way;
  double min_error;  // above fp32's difference by another order of sums: proves that the variant was used
  double max_error;
};

TEST_F(AutogradCudaTest, EachWayIsNearThePlainOneAndNotIt) {
  const auto gradients = [&](const Way& way, double& loss) {
    const auto trainer = MakeAutogradTrainer(Input(way, kImages));  // one step
    const auto epoch = trainer->Train(0, progress_);
    EXPECT_THAT(epoch, IsOk());
    loss = epoch->mean_loss;
    return Gradients(*trainer->GetState());
  };
  double plain_loss = 0;
  const std::vector<float> plain = gradients({}, plain_loss);
  ASSERT_EQ(plain.size(), 11'173'962u);
  for (const Expectation& expect :
       {Expectation{{proto::FP32, true}, 0, 0.01}, Expectation{{proto::TF32, false}, 0.01, 0.36},
        Expectation{{proto::BF16, false}, 0.01, 0.56}, Expectation{{proto::BF16, true}, 0.01, 0.56}}) {
    SCOPED_TRACE(Name(expect.way));
    double loss = 0;
    const std::vector<float> found = gradients(expect.way, loss);
    const double error = RelativeError(found, plain);
    EXPECT_GE(error, expect.min_error);
    EXPECT_LT(error, expect.max_error);
    EXPECT_NEAR(loss / plain_loss, 1, 0.02);
  }
  double again = 0;
  EXPECT_TRUE(gradients({}, again) == plain) << "TF32 stayed switched on";
}

}  // namespace
}  // namespace lockstep
