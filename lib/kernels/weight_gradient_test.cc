#include "lib/kernels/weight_gradient.h"

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
using ::lockstep::testing::ExpectRounded;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::WholeValues;
using Bf16 = __nv_bfloat16;

// All image sizes, differing channels, batches that do not fill the last stage, both strides.
std::vector<ConvolutionShape> Shapes() {
  return {{3, 64, 32, 64, 3, 1},  {3, 64, 16, 128, 3, 1},  {5, 128, 8, 64, 3, 1},
          {1, 64, 8, 64, 3, 1},   {9, 64, 4, 64, 3, 1},    {5, 128, 4, 256, 3, 1},
          {40, 64, 32, 64, 3, 1}, {3, 64, 32, 128, 3, 2},  {5, 128, 16, 64, 3, 2},  //
          {3, 64, 32, 128, 1, 2}, {5, 128, 16, 256, 1, 2}, {19, 256, 8, 512, 1, 2},
          {3, 64, 64, 64, 1, 2},  {1, 192, 16, 64, 1, 1},  {40, 64, 32, 64, 1, 2}};
}

class WeightGradientTest : public ::testing::TestWithParam<ConvolutionShape> {};

TEST_P(WeightGradientTest, IsTheSumOverAllPixels) {
  if (!HaveGpu() || HopperMultiprocessors() == 0) {
    GTEST_SKIP() << "needs a GPU of compute capability 9.0";
  }
  const ConvolutionShape shape = GetParam();
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kWeightGradient);
  const std::vector<Bf16> dy = WholeValues<Bf16>(1, counts.a), x = WholeValues<Bf16>(2, counts.b);
  std::vector<double> exact(counts.out);
  ConvolutionReference(shape, ConvolutionPass::kWeightGradient, dy.data(), x.data(), exact.data());
  DeviceArray<Bf16> on_dy(dy), on_x(x);
  std::vector<WeightGradientConfig> configs = WeightGradientConfigs(shape, HopperMultiprocessors());
  if (shape.filter == 3) {
    configs.push_back({3, 2});  // splits that often differ in size
  }
  configs.push_back({1, 7});  // more splits than stages for some shapes
  for (const WeightGradientConfig& config : configs) {
    const std::string name =
        absl::StrCat(DescribeConvolution(shape, ConvolutionPass::kWeightGradient, ConvolutionType::kBf16), ", ",
                     DescribeWeightGradient(config));
    const WeightGradient gradient(shape, config);
    DeviceArray<char> workspace(gradient.workspace_bytes() + 1);
    DeviceArray<Bf16> dw(counts.out);
    ASSERT_EQ(gradient.Run(on_dy.data(), on_x.data(), dw.data(), workspace.data(), nullptr), absl::OkStatus());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    ExpectRounded(dw.ToHost(), exact, name);
    if (HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, WeightGradientTest, ::testing::ValuesIn(Shapes()));

TEST(WeightGradientConfigsTest, CoversWhatResNet18RepeatsAndNothingElse) {
  const auto count = [](ConvolutionShape shape) { return WeightGradientConfigs(shape, 132).size(); };
  // One tile: 132, 66 or 33 blocks of three columns; 44, 22 or 11 blocks of each column.
  EXPECT_EQ(count({512, 64, 32, 64, 3, 1}), 6u);
  // 64 tiles: one or two blocks of three columns, one block of each column.
  EXPECT_EQ(count({512, 512, 4, 512, 3, 1}), 3u);
  // Two tiles, in 33 or 16 splits: there are 64 stages, so 66 splits would be too many.
  EXPECT_EQ(count({32, 64, 32, 128, 1, 2}), 2u);
  EXPECT_EQ(count({32, 64, 32, 128, 5, 1}), 0u);                           // unsupported filter
  EXPECT_EQ(count({32, 256, 8, 512, 3, 2}), 0u);                           // stride of 2 to 4x4
  EXPECT_EQ(count({32, 32, 32, 64, 3, 1}), 0u);                            // unsupported number of channels
  EXPECT_EQ(WeightGradientConfigs({32, 64, 32, 64, 3, 1}, 0).size(), 0u);  // no suitable GPU
}

TEST(WeightGradientTest, RefusesWhatItIsNotMadeFor) {
  EXPECT_EQ(WeightGradient({32, 64, 32, 128, 1, 2}, {3, 1}).Run(nullptr, nullptr, nullptr, nullptr, nullptr).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WeightGradient({32, 64, 32, 64, 3, 1}, {2, 1}).Run(nullptr, nullptr, nullptr, nullptr, nullptr).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
