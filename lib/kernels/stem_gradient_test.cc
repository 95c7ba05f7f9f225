#include "lib/kernels/stem_gradient.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/stem_gradient_reference.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::ExpectRounded;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::WholeValues;
using Bf16 = __nv_bfloat16;

std::vector<float> Floats(const std::vector<float>& of, size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(of[i % of.size()]);
  }
  return values;
}

// Factors are multiples of 1/4 and values are -1, 0 and 1: exact in bf16, and their sums are exact in fp32 in any
// order.
TEST(StemGradientTest, IsTheBatchNormsGradientTimesThePatches) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  const std::vector<float> on_g = Floats({0.5f, 1, 2}, kStemGradientChannels);
  const std::vector<float> on_x = Floats({-0.25f, 0, 0.5f, 1}, kStemGradientChannels);
  const std::vector<float> constant = Floats({-1, 0, 0.25f, 0.5f, 2}, kStemGradientChannels);
  DeviceArray<float> on_device_g(on_g), on_device_x(on_x), on_device_constant(constant);
  BatchNormGradients of_batch_norm;
  of_batch_norm.on_g = on_device_g.data();
  of_batch_norm.on_x = on_device_x.data();
  of_batch_norm.constant = on_device_constant.data();
  DeviceArray<char> workspace(StemGradientWorkspaceBytes());
  for (const uint32_t images : {1, 3, 16, 32, 65}) {
    const uint32_t rows = images * 1024;
    const std::vector<Bf16> x = WholeValues<Bf16>(1, size_t{rows} * kStemGradientChannels);
    const std::vector<Bf16> g = WholeValues<Bf16>(2, x.size());
    const std::vector<Bf16> patches = WholeValues<Bf16>(3, size_t{rows} * kStemGradientPatch);
    DeviceArray<Bf16> on_x_values(x), on_g_values(g), on_patches(patches);
    DeviceArray<Bf16> dw(size_t{kStemGradientChannels} * kStemGradientPatch);
    ASSERT_EQ(StemGradient(rows, on_x_values.data(), on_g_values.data(), of_batch_norm, on_patches.data(), dw.data(),
                           workspace.data(), nullptr),
              cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ExpectRounded(
        dw.ToHost(),
        StemGradientReference(rows, x.data(), g.data(), {on_g.data(), on_x.data(), constant.data()}, patches.data()),
        absl::StrCat(images, " images"));
  }
}

TEST(StemGradientTest, RefusesRowsItDoesNotCover) {
  EXPECT_EQ(StemGradient(63, nullptr, nullptr, {}, nullptr, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(StemGradient(0, nullptr, nullptr, {}, nullptr, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
}

// One row whose patch has a 3 as its first element; channel 0: 2 * 1 + 0.5 * 4 - 1 = 3.
TEST(StemGradientReferenceTest, ByHand) {
  std::vector<Bf16> x(kStemGradientChannels, Bf16(0.0f)), g = x, patch(kStemGradientPatch, Bf16(0.0f));
  std::vector<float> on_g(kStemGradientChannels, 2), on_x(kStemGradientChannels, 0.5f), constant(on_x.size(), -1);
  g[0] = Bf16(1.0f);
  x[0] = Bf16(4.0f);
  patch[0] = Bf16(3.0f);
  const std::vector<double> dw =
      StemGradientReference(1, x.data(), g.data(), {on_g.data(), on_x.data(), constant.data()}, patch.data());
  EXPECT_EQ(dw[0], 9);
  EXPECT_EQ(dw[1], 0);
  EXPECT_EQ(dw[kStemGradientPatch], -3);  // channel 1: only the constant
}

}  // namespace
}  // namespace lockstep
