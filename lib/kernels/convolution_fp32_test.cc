#include "lib/kernels/convolution_fp32.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/kernels/convolution_reference.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::SameBits;
using ::lockstep::testing::WholeValues;

// All image sizes, differing channels, batches that do not fill the last tile, both strides.
std::vector<ConvolutionShape> Shapes() {
  return {{3, 64, 32, 64, 3, 1}, {3, 64, 16, 128, 3, 1}, {5, 128, 8, 64, 3, 1}, {1, 128, 8, 128, 3, 1},
          {9, 64, 4, 64, 3, 1},  {5, 128, 4, 256, 3, 1}, {3, 16, 32, 64, 3, 2}, {5, 128, 16, 128, 3, 2}};
}

std::vector<ConvolutionFp32Config> AllWays(uint32_t columns) {
  std::vector<ConvolutionFp32Config> ways;
  for (const uint32_t tile : {64u, 128u}) {
    for (const uint32_t splits : {1u, 2u, 4u, 8u}) {
      if (columns % tile == 0) {
        ways.push_back({tile, splits});
      }
    }
  }
  return ways;
}

class ConvolutionFp32Test : public ::testing::TestWithParam<ConvolutionShape> {
 protected:
  void SetUp() override {
    if (!HaveGpu() || ClusterMultiprocessors() == 0) {
      GTEST_SKIP() << "needs a GPU of compute capability 9.0 or above";
    }
  }

  static std::vector<float> Run(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionFp32Config& way,
                                const std::vector<float>& a, const std::vector<float>& b) {
    DeviceArray<float> on_a(a), on_b(b), out(CountOperands(shape, pass).out);
    EXPECT_EQ(RunConvolutionFp32(shape, pass, way, on_a.data(), on_b.data(), out.data(), nullptr), absl::OkStatus());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return out.ToHost();
  }
};

std::vector<ConvolutionPass> PassesOf(const ConvolutionShape& shape) {
  const bool gradient = shape.stride == 1 && shape.in_channels % 64 == 0;
  return gradient ? std::vector<ConvolutionPass>{ConvolutionPass::kForward, ConvolutionPass::kDataGradient}
                  : std::vector<ConvolutionPass>{ConvolutionPass::kForward};
}

// Products of -1, 0 and 1: sums of up to 9 * 256 of them are integers below 2^24, exact in any order, so that one tap
// or channel too many or too few changes the result by 1.
TEST_P(ConvolutionFp32Test, IsTheSumOverTapsAndChannels) {
  const ConvolutionShape shape = GetParam();
  for (const ConvolutionPass pass : PassesOf(shape)) {
    const ConvolutionOperands counts = CountOperands(shape, pass);
    const std::vector<float> a = WholeValues<float>(1, counts.a), b = WholeValues<float>(2, counts.b);
    std::vector<double> exact(counts.out);
    ConvolutionReference(shape, pass, a.data(), b.data(), exact.data());
    for (const ConvolutionFp32Config& way :
         AllWays(pass == ConvolutionPass::kForward ? shape.out_channels : shape.in_channels)) {
      const std::vector<float> found = Run(shape, pass, way, a, b);
      EXPECT_TRUE(std::equal(found.begin(), found.end(), exact.begin(), exact.end()))
          << DescribeConvolution(shape, pass, ConvolutionType::kFp32) << " by " << DescribeConvolutionFp32(way);
    }
  }
}

// Each of n products and n - 1 additions has a relative rounding error of 2^-24 (Higham, Accuracy and Stability,
// section 3.1). A product rounded to TF32 would have an error of 2^-11 and fail.
TEST_P(ConvolutionFp32Test, RoundsAsFp32Does) {
  const ConvolutionShape shape = GetParam();
  for (const ConvolutionPass pass : PassesOf(shape)) {
    const ConvolutionOperands counts = CountOperands(shape, pass);
    const std::vector<float> a = RandomValues<float>(1, counts.a), b = RandomValues<float>(2, counts.b);
    std::vector<float> absolute_a, absolute_b;
    std::transform(a.begin(), a.end(), std::back_inserter(absolute_a), [](float value) { return std::abs(value); });
    std::transform(b.begin(), b.end(), std::back_inserter(absolute_b), [](float value) { return std::abs(value); });
    std::vector<double> exact(counts.out), magnitude(counts.out);
    ConvolutionReference(shape, pass, a.data(), b.data(), exact.data());
    ConvolutionReference(shape, pass, absolute_a.data(), absolute_b.data(), magnitude.data());
    const bool forward = pass == ConvolutionPass::kForward;
    const double terms = 9.0 * (forward ? shape.in_channels : shape.out_channels);
    const ConvolutionFp32Config way = {64, 4};
    const std::vector<float> found = Run(shape, pass, way, a, b);
    size_t wrong = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      wrong += std::abs(found[i] - exact[i]) <= (terms + 1) * 0x1p-24 * magnitude[i] ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0u) << DescribeConvolution(shape, pass, ConvolutionType::kFp32);
    EXPECT_TRUE(SameBits(found, Run(shape, pass, way, a, b))) << "a second run gave other bits";
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConvolutionFp32Test, ::testing::ValuesIn(Shapes()));

TEST(ConvolutionFp32ConfigsTest, CoversWhatResNet18RepeatsAndNothingElse) {
  const auto count = [](ConvolutionShape shape, ConvolutionPass pass) {
    return ConvolutionFp32Configs(shape, pass, 132).size();
  };
  const ConvolutionPass forward = ConvolutionPass::kForward, gradient = ConvolutionPass::kDataGradient;
  // 256 tiles of 64 columns in 1, 2 or 4 splits; 8 splits would be 2,048 blocks, more than 8 * 132.
  EXPECT_EQ(count({32, 64, 32, 64, 3, 1}, forward), 3u);
  EXPECT_EQ(count({32, 64, 32, 64, 3, 1}, gradient), 3u);
  // 32 tiles of 64 columns, 16 of 128, each in 1, 2, 4 or 8 splits.
  EXPECT_EQ(count({32, 512, 4, 512, 3, 1}, forward), 8u);
  EXPECT_EQ(count({512, 64, 32, 64, 3, 1}, forward), 1u);   // 4,096 tiles, only in one split
  EXPECT_EQ(count({32, 64, 32, 128, 3, 2}, forward), 8u);   // 128 tiles of 64 columns in up to 8 splits, 64 of 128
  EXPECT_EQ(count({32, 64, 32, 128, 3, 2}, gradient), 0u);  // unsupported stride
  EXPECT_EQ(count({32, 64, 32, 64, 3, 1}, ConvolutionPass::kWeightGradient), 0u);
  EXPECT_EQ(count({32, 64, 32, 128, 1, 2}, forward), 0u);     // unsupported filter
  EXPECT_EQ(count({32, 8, 32, 64, 3, 1}, forward), 0u);       // unsupported number of channels that are summed over
  EXPECT_EQ(count({32, 64, 32, 32, 3, 1}, forward), 0u);      // unsupported number of output channels
  EXPECT_EQ(count({32'768, 64, 32, 64, 3, 1}, forward), 0u);  // 2^31 elements
  EXPECT_EQ(ConvolutionFp32Configs({32, 64, 32, 64, 3, 1}, forward, 0).size(), 0u);  // no suitable GPU
}

TEST(ConvolutionFp32ConfigsTest, TheLikeliestIsFirst) {
  const auto splits = [](ConvolutionShape shape) {
    const ConvolutionFp32Config first = ConvolutionFp32Configs(shape, ConvolutionPass::kForward, 132).front();
    EXPECT_EQ(first.columns, 64u);
    return first.splits;
  };
  EXPECT_EQ(splits({32, 64, 32, 64, 3, 1}), 1u);    // 256 tiles for 132 multiprocessors
  EXPECT_EQ(splits({32, 128, 16, 128, 3, 1}), 2u);  // 128 tiles
  EXPECT_EQ(splits({32, 512, 4, 512, 3, 1}), 8u);   // 32 tiles
  EXPECT_EQ(splits({1, 512, 4, 512, 3, 1}), 8u);    // 8 tiles, too few even in 8 splits
}

TEST(ConvolutionFp32Test, RefusesWhatItIsNotMadeFor) {
  const auto run = [](ConvolutionShape shape, ConvolutionFp32Config way) {
    return RunConvolutionFp32(shape, ConvolutionPass::kForward, way, nullptr, nullptr, nullptr, nullptr).code();
  };
  EXPECT_EQ(run({32, 64, 32, 128, 1, 2}, {64, 1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run({32, 64, 32, 64, 3, 1}, {128, 1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run({32, 64, 32, 64, 3, 1}, {64, 3}), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
