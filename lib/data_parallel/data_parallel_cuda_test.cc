// Tests DataParallel on GPUs; skipped without a GPU. One GPU acts as two devices; two GPUs are used if there are two.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/data_parallel/data_parallel_trainer.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/device/device.h"
#include "lib/testing/matchers.h"
#include "lib/train/autograd_trainer.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;

constexpr uint32_t kImages = 24;

c10::Device Gpu(int index) { return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index)); }

// Returns the device lists to test: one GPU, one GPU as two devices, and two GPUs if there are two. Ranks that share a
// GPU (LOCKSTEP_RANKS_PER_GPU) do not count as two GPUs.
std::vector<std::vector<c10::Device>> Stars() {
  std::vector<std::vector<c10::Device>> stars = {{Gpu(0)}, {Gpu(0), Gpu(0)}};
  if (const uint32_t gpus = CountRankGpus() / RanksPerGpu(); gpus > 1) {
    stars.push_back({Gpu(0), Gpu(1)});
  } else {
    std::printf("the star of two GPUs is left out: CUDA shows %u\n", gpus);
  }
  return stars;
}

std::string Name(const std::vector<c10::Device>& devices) {
  std::string name = absl::StrCat(devices.size(), " devices:");
  for (const c10::Device& device : devices) {
    absl::StrAppend(&name, " ", device.str());
  }
  return name;
}

class DataParallelCudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ResolveDevice("cuda", 0).ok()) {
      GTEST_SKIP() << "no CUDA device";
    }
    ASSERT_THAT(SetNumerics({.deterministic = true}), IsOk());
  }

  TrainerInput Input(const std::string& model, proto::Precision precision, uint32_t batch) {
    TrainerInput input;
    input.spec.set_model(model);
    input.spec.set_device(proto::CUDA);
    input.spec.set_precision(precision);
    input.spec.set_channels_last(precision == proto::BF16);
    input.spec.set_learning_rate(0.01);
    input.spec.set_momentum(0.9);
    input.spec.set_repeats(1);
    input.loader.batch_size = batch;
    EXPECT_THAT(NormalizeAsTrained(images_.info, input.loader), IsOk());
    input.images = &images_;
    input.model = *MakeModel(model, 3);
    input.device = Gpu(0);
    return input;
  }

  const ImageSet images_ = SmallImageSet(proto::TRAIN, kImages);
  Progress progress_{"test", kImages, "images"};
};

// Returns the momenta. After one step from zeros without weight decay they are the gradients.
std::vector<float> Gradients(EpochTrainer& trainer) {
  std::vector<float> all;
  const TrainingArrays state = *trainer.GetState();
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

// The sums are added in different orders: each is off by 10 sqrt(n) u of its terms (lib/reducer/split_batch_test.cc).
// The gradients of the images may cancel, but to no less than the gradient of one image. bf16 keeps 8 bits: five
// layers, forward and backward, are each off by 2^-8.
TEST_F(DataParallelCudaTest, GradientsAreThoseOfOneDevice) {
  constexpr double kRoundings = 829 + 614 + kImages * 28.0 * 28;
  for (const proto::Precision precision : {proto::FP32, proto::BF16}) {
    const auto one = MakeAutogradTrainer(Input("lenet5", precision, kImages));
    ASSERT_THAT(one->Train(0, progress_), IsOk());
    const std::vector<float> expected = Gradients(*one);
    for (const std::vector<c10::Device>& devices : Stars()) {
      SCOPED_TRACE(absl::StrCat(proto::Precision_Name(precision), ", ", Name(devices)));
      auto trainer = MakeDataParallelTrainer(Input("lenet5", precision, kImages), devices);
      ASSERT_THAT(trainer, IsOk());
      ASSERT_THAT((*trainer)->Train(0, progress_), IsOk());
      const double error = RelativeError(Gradients(**trainer), expected);
      EXPECT_LE(error, precision == proto::FP32 ? kImages * 10 * std::sqrt(kRoundings) * std::ldexp(1.0, -24)
                                                : 10 * std::ldexp(1.0, -8));
      if (devices.size() == 1) {
        EXPECT_EQ(error, 0);
      }
    }
  }
}

// Batch norm, a step with parts of different sizes, and a step of one image: all phases of a step are timed by events.
TEST_F(DataParallelCudaTest, TrainsResNet18AndTimesItsParts) {
  for (const std::vector<c10::Device>& devices : Stars()) {
    SCOPED_TRACE(Name(devices));
    auto trainer = MakeDataParallelTrainer(Input("resnet18", proto::BF16, kImages - 1), devices);
    ASSERT_THAT(trainer, IsOk());
    const auto epoch = (*trainer)->Train(0, progress_);
    ASSERT_THAT(epoch, IsOk());
    EXPECT_EQ(epoch->steps, 2u);
    EXPECT_LT(epoch->mean_loss, std::numeric_limits<double>::infinity());
    const DataParallelTimes& times = (*trainer)->times();
    const double sum = times.scatter_seconds + times.replicate_seconds + times.forward_seconds + times.gather_seconds +
                       times.loss_seconds + times.output_gradient_seconds + times.backward_seconds +
                       times.reduce_seconds + times.update_seconds;
    EXPECT_GT(times.forward_seconds, 0);
    EXPECT_GT(times.backward_seconds, 0);
    // An event's time is accurate to about 0.5 us. The phases do not cover the copy and the reset of the old gradients.
    EXPECT_LE(sum, epoch->step_seconds + 1e-4);
    EXPECT_GE(sum, 0.5 * (epoch->step_seconds - epoch->copy_seconds));
    if (devices.size() == 2) {
      EXPECT_GT(times.replicate_seconds, 0);
      EXPECT_GT(times.reduce_seconds, 0);
      EXPECT_EQ(times.scatter_bytes, 11u * 3 * 32 * 32 * sizeof(float));  // 23 = 12 + 11
      EXPECT_EQ(times.reduce_bytes, 11'173'962u * sizeof(float));
    }
    proto::SweepPoint point;
    (*trainer)->Describe(point);
    EXPECT_EQ(point.timing_method(), "cuda events");
    EXPECT_GT(point.peak_memory_bytes(), 0u);
  }
}

}  // namespace
}  // namespace lockstep
