// Predicted memory of a step, without a GPU. lib/train/fused_step_test compares it with the allocated memory.
#include <utility>

#include "gtest/gtest.h"
#include "lib/fused/evaluation_images.h"
#include "lib/fused/resnet_step.h"
#include "lib/fused/resnet_units.h"
#include "lib/kernels/convolution.h"

namespace lockstep {
namespace {

size_t Predict(ConvolutionType type, uint32_t batch, uint32_t images = 50'000) {
  ResNetStepOptions options;
  options.type = type;
  options.max_batch = batch;
  return ResNetStep::PredictBytes(options, images);
}

double PerImage(ConvolutionType type, uint32_t from, uint32_t to) {
  return static_cast<double>(Predict(type, to) - Predict(type, from)) / (to - from);
}

// Elements per image: patches 32,768, raw outputs 614,400, rectified outputs 557,056, five gradients of 65,536. In
// addition a bit per rectified output, a label of 8 bytes, and 16 + 512 + 1 fp32 numbers of the classifier.
constexpr double kElements = 32'768 + 614'400 + 557'056 + 5 * 65'536;
constexpr double kOther = 557'056 / 8 + 8 + 529 * 4;

TEST(ResNetMemoryTest, GrowsByTheActivationsOfAnImage) {
  EXPECT_NEAR(PerImage(ConvolutionType::kBf16, 16'384, 32'768), 2 * kElements + kOther, 1);  // rounding up to 256 bytes
  EXPECT_NEAR(PerImage(ConvolutionType::kTf32, 16'384, 32'768), 4 * kElements + kOther, 1);
  EXPECT_NEAR(PerImage(ConvolutionType::kFp32, 16'384, 32'768), 4 * kElements + kOther, 1);
}

// In fp32 the workspaces of the three streams grow up to their limit: by 3.3 times 32x32x(64 + 64) numbers per image on
// two streams, and by 32x32x64 + 16x16x128 on the stream of the shortcuts.
TEST(ResNetMemoryTest, WorkspacesInFp32GrowToTheirBound) {
  EXPECT_NEAR(PerImage(ConvolutionType::kFp32, 264, 304), 4 * kElements + kOther + 4 * (2 * 3.3 * 131'072 + 98'304), 8);
  const size_t beyond = Predict(ConvolutionType::kFp32, 2048) - Predict(ConvolutionType::kTf32, 2048);
  EXPECT_EQ(beyond, 3 * ConvolutionOptions().max_workspace_bytes - 2 * 4 * 512 * 512 * 9 - 4 * 256 * 512);
}

// Memory taken on an H200 (benchmarks/results/2026-11-22-h200-side-by-side/batch_sweep_fp32.rec). Predictions must
// match within 5 %.
TEST(ResNetMemoryTest, IsWhatWasTakenInFp32) {
  const std::pair<uint32_t, double> taken[] = {
      {32, 0.610012464e9}, {128, 1.570246960e9}, {512, 4.542444336e9}, {2048, 14.285273904e9}, {8192, 52.268440848e9}};
  for (const auto& [batch, bytes] : taken) {
    EXPECT_NEAR(static_cast<double>(Predict(ConvolutionType::kFp32, batch)) / bytes, 1, 0.05) << batch;
  }
}

// The data set's pixels, labels, order and rates take 3,072 + 2 + 4 + 4 bytes per image.
TEST(ResNetMemoryTest, HoldsTheDataSet) {
  EXPECT_NEAR(
      static_cast<double>(Predict(ConvolutionType::kBf16, 32, 50'000) - Predict(ConvolutionType::kBf16, 32, 10'000)),
      40'000.0 * 3082, 4 * 256);
}

// Images to evaluate on take 3,072 + 2 + 4 bytes each, in three arrays that are rounded up to 256 bytes.
TEST(ResNetMemoryTest, ImagesToEvaluateOnTakeTheirPixelsLabelsAndOrder) {
  EXPECT_EQ(EvaluationImages::PredictBytes(32, 10'000), 30'720'000 + 20'224 + 40'192);
  EXPECT_EQ(EvaluationImages::PredictBytes(64, 1), 3 * 64 * 64 + 256 + 256);
}

// Images of 64x64 have four times the activations and pixels. For 1,000 classes the classifier keeps as many gradients
// of logits per image instead of 16.
TEST(ResNetMemoryTest, GrowsWithClassesAndImages) {
  ResNetStepOptions options;
  options.image_size = 64;
  options.classes = 1000;
  const auto predict = [&](uint32_t batch, uint32_t images) {
    options.max_batch = batch;
    return static_cast<double>(ResNetStep::PredictBytes(options, images));
  };
  const double other = 4 * 557'056 / 8 + 8 + (1000 + 512 + 1) * 4;
  EXPECT_NEAR((predict(16'384, 50'000) - predict(8'192, 50'000)) / 8'192, 4 * 2 * kElements + other, 1);
  EXPECT_NEAR(predict(32, 50'000) - predict(32, 10'000), 40'000.0 * (3 * 64 * 64 + 10), 4 * 256);
}

// The largest batch fits on an H200 of 139.8 GiB in bf16, and not in fp32: 103 and 205 GB.
TEST(ResNetMemoryTest, TheLargestBatchOfTheSweep) {
  EXPECT_NEAR(static_cast<double>(Predict(ConvolutionType::kBf16, 32'768)), 103.0e9, 0.2e9);
  EXPECT_NEAR(static_cast<double>(Predict(ConvolutionType::kFp32, 32'768)), 205.0e9, 0.2e9);
}

// Gradient norms and factors of at most 64 layers, in 32 parts each: 2 * 64 * 32 fp64 numbers and 2 * 64 fp32 numbers.
// With micro-batches also the fp32 sums of the gradients: 11,164,672 weights, with the stem's padding, and 9,610
// elements of `batch_norms`. Each array is rounded up to 256 bytes.
TEST(ResNetMemoryTest, GradientNormsTakeLittleAndSumsTheGradients) {
  for (const ConvolutionType type : {ConvolutionType::kFp32, ConvolutionType::kBf16}) {
    ResNetStepOptions options;
    options.type = type;
    options.max_batch = 1024;
    const size_t plain = ResNetStep::PredictBytes(options, 50'000);
    options.clip_norm = 1;
    EXPECT_EQ(ResNetStep::PredictBytes(options, 50'000) - plain, 2 * 64 * 32 * 8 + 2 * 64 * 4);
    options.micro_batch = 256;
    const size_t partitioned = ResNetStep::PredictBytes(options, 50'000);
    options.clip_norm = 0;
    const ResNetUnits net = MakeResNetUnits();
    EXPECT_NEAR(static_cast<double>(partitioned - ResNetStep::PredictBytes(options, 50'000)),
                4.0 * static_cast<double>(net.weight_count + net.batch_norm_count()) + 33'280, 512);
    EXPECT_EQ(net.weight_count, 11'164'672u);
    EXPECT_EQ(net.batch_norm_count(), 9'610u);
  }
}

}  // namespace
}  // namespace lockstep
