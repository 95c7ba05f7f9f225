#include "lib/kernels/convolution_norm.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/cifar/counter_random.h"
#include "lib/kernels/batch_norm_reference.h"
#include "lib/kernels/convolution_reference.h"
#include "lib/kernels/device_array.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;
constexpr float kMomentum = 0.125f;
constexpr float kEpsilon = 1e-5f;

// Numbers so small and whole that every product and sum is exact, in bf16 and in fp32, whatever the order: the only
// roundings are those of the last few operations on a channel's sums.
constexpr double kSumTolerance = 32 * 0x1p-24;

struct Exact {
  std::vector<Bf16> host;
  Values values;

  // Uniform among `from`.
  Exact(uint64_t seed, size_t count, const std::vector<float>& from) {
    CounterRandom random(seed, RandomPurpose::kSyntheticImage, 1, 2);
    for (size_t i = 0; i < count; ++i) {
      host.push_back(Bf16(from[random.Below(static_cast<uint32_t>(from.size()))]));
      values.push_back(static_cast<float>(host.back()));
    }
  }
};

const std::vector<float> kActivation = {-1, 0, 1};
const std::vector<float> kWeight = {-1, 0, 0, 1};

std::vector<float> Floats(uint64_t seed, size_t count, const std::vector<float>& from) {
  const Exact exact(seed, count, from);
  return std::vector<float>(exact.values.begin(), exact.values.end());
}

Values Doubles(const std::vector<float>& values) { return Values(values.begin(), values.end()); }

std::string Name(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionNormConfig& config) {
  return absl::StrCat(DescribeConvolution(shape, pass, ConvolutionType::kBf16), ", ", config.pixels, " pixels, ",
                      config.splits, " splits");
}

// Equal bit for bit to the exact values rounded to bf16; says how many differ, and the first.
void ExpectRounded(const std::vector<Bf16>& found, const Values& exact, const std::string& what) {
  ASSERT_EQ(found.size(), exact.size()) << what;
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!(static_cast<float>(found[i]) == static_cast<float>(Bf16(static_cast<float>(exact[i])))) && wrong++ == 0) {
      first = i;
    }
  }
  EXPECT_EQ(wrong, 0u) << what << ": of " << found.size() << ", the first is " << first << ", "
                       << static_cast<float>(found[first]) << " for " << exact[first];
}

void ExpectNear(const std::vector<float>& found, const Values& exact, const std::string& what) {
  ASSERT_EQ(found.size(), exact.size()) << what;
  double magnitude = 0;
  for (const double value : exact) {
    magnitude = std::max(magnitude, std::abs(value));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_LE(std::abs(found[i] - exact[i]), kSumTolerance * magnitude) << what << " " << i << ": " << found[i] << " for " << exact[i];
  }
}

// All sizes of image, channels that differ, batches that fill no last tile; the last gives an H200's blocks five tiles.
std::vector<ConvolutionShape> Shapes() {
  return {{3, 64, 32, 64, 3, 1},  {1, 64, 16, 128, 3, 1}, {5, 128, 8, 64, 3, 1},
          {18, 64, 4, 64, 3, 1},  {5, 256, 4, 512, 3, 1}, {565, 64, 16, 64, 3, 1}};
}

class ConvolutionNormTest : public testing::TestWithParam<ConvolutionShape> {
 protected:
  void SetUp() override {
    if (!HaveGpu() || ConvolutionNormMultiprocessors() == 0) {
      GTEST_SKIP() << "needs a GPU of compute capability 9.0";
    }
  }
};

TEST_P(ConvolutionNormTest, ForwardIsTheConvolutionAndItsStatistics) {
  const ConvolutionShape shape = GetParam();
  const uint32_t multiprocessors = ConvolutionNormMultiprocessors(), channels = shape.out_channels;
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kForward);
  const Exact x(1, counts.a, kActivation), w(2, counts.b, kWeight);
  Values exact(counts.out);
  ConvolutionReference(shape, ConvolutionPass::kForward, x.host.data(), w.host.data(), exact.data());
  const std::vector<float> gamma = Floats(3, channels, {0.5f, 1, 2}), beta = Floats(4, channels, {-1, 0, 0.25f});
  const std::vector<float> mean = Floats(5, channels, {-1, 0, 2}), var = Floats(6, channels, {1, 4});
  const BatchNormShape rows = {static_cast<uint32_t>(counts.out / channels), channels};
  const BatchNormStatisticsReference reference =
      ReferenceStatistics(rows, exact, Doubles(gamma), Doubles(beta), Doubles(mean), Doubles(var), kMomentum, kEpsilon);

  DeviceArray<Bf16> on_x(x.host), on_w(w.host);
  DeviceArray<char> workspace(std::vector<char>(ConvolutionNormWorkspaceBytes(multiprocessors), 0));
  for (const ConvolutionNormConfig& config : ConvolutionNormConfigs(shape, ConvolutionPass::kForward, multiprocessors)) {
    const std::string name = Name(shape, ConvolutionPass::kForward, config);
    std::vector<Bf16> first;
    for (int run = 0; run < 2; ++run) {  // twice: the workspace is left ready, and the bits are the same
      DeviceArray<Bf16> y(counts.out);
      DeviceArray<float> on_gamma(gamma), on_beta(beta), on_mean(mean), on_var(var);
      DeviceArray<float> batch_mean(channels), inv_std(channels), scale(channels), shift(channels);
      const BatchNormParameters parameters = {on_gamma.data(), on_beta.data(), on_mean.data(), on_var.data(), kMomentum, kEpsilon};
      const BatchNormState state = {batch_mean.data(), inv_std.data(), scale.data(), shift.data()};
      ASSERT_EQ(ConvolutionNorm(shape, config, multiprocessors)
                    .Forward(on_x.data(), on_w.data(), y.data(), parameters, state, workspace.data(), nullptr),
                absl::OkStatus());
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
      ExpectRounded(y.ToHost(), exact, name);
      ExpectNear(batch_mean.ToHost(), reference.mean, name + " mean");
      ExpectNear(inv_std.ToHost(), reference.inv_std, name + " inv_std");
      ExpectNear(scale.ToHost(), reference.scale, name + " scale");
      ExpectNear(shift.ToHost(), reference.shift, name + " shift");
      ExpectNear(on_mean.ToHost(), reference.running_mean, name + " running mean");
      ExpectNear(on_var.ToHost(), reference.running_var, name + " running variance");
      if (HasFailure()) {
        return;
      }
    }
  }
}

TEST_P(ConvolutionNormTest, BackwardIsTheDataGradientMaskedAndItsSums) {
  const ConvolutionShape shape = GetParam();
  const uint32_t multiprocessors = ConvolutionNormMultiprocessors(), channels = shape.in_channels;
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kDataGradient);
  const Exact dy(1, counts.a, kActivation), w(2, counts.b, kWeight), x(3, counts.out, {-2, 0, 1});
  const Exact addend(4, counts.out, {-4, 0, 4});
  Values convolved(counts.out);
  ConvolutionReference(shape, ConvolutionPass::kDataGradient, dy.host.data(), w.host.data(), convolved.data());
  CounterRandom random(5, RandomPurpose::kSyntheticImage, 1, 2);
  std::vector<uint8_t> mask(counts.out / 8);
  for (uint8_t& byte : mask) {
    byte = static_cast<uint8_t>(random.Below(256));
  }
  const std::vector<float> mean = Floats(6, channels, {-0.5f, 0, 0.25f}), inv_std = Floats(7, channels, {0.5f, 1, 2});
  const std::vector<float> scale = Floats(8, channels, {0.5f, 1, 4});
  const BatchNormShape rows = {static_cast<uint32_t>(counts.out / channels), channels};

  DeviceArray<Bf16> on_dy(dy.host), on_w(w.host), on_x(x.host), on_addend(addend.host);
  DeviceArray<uint8_t> on_mask(mask);
  DeviceArray<char> workspace(std::vector<char>(ConvolutionNormWorkspaceBytes(multiprocessors), 0));
  DeviceArray<float> on_mean(mean), on_inv_std(inv_std), on_scale(scale);
  for (const bool with_addend : {false, true}) {
    Values exact(counts.out);
    for (size_t i = 0; i < exact.size(); ++i) {
      const double sum = static_cast<float>(Bf16(static_cast<float>(convolved[i]))) + (with_addend ? addend.values[i] : 0.0);
      exact[i] = (mask[i / 8] >> i % 8 & 1) != 0 ? static_cast<float>(Bf16(static_cast<float>(sum))) : 0.0f;
    }
    const BatchNormReduceReference reference =
        ReferenceBackwardReduce(rows, x.values, exact, Doubles(mean), Doubles(inv_std), Doubles(scale));
    for (const ConvolutionNormConfig& config : ConvolutionNormConfigs(shape, ConvolutionPass::kDataGradient, multiprocessors)) {
      const std::string name = Name(shape, ConvolutionPass::kDataGradient, config) + (with_addend ? ", addend" : "");
      DeviceArray<Bf16> g(counts.out);
      DeviceArray<float> dgamma(channels), dbeta(channels), on_g(channels), of_x(channels), constant(channels);
      ConvolutionNorm::Norm norm;
      norm.x = on_x.data();
      norm.addend = with_addend ? on_addend.data() : nullptr;
      norm.relu_mask = on_mask.data();
      norm.state = {on_mean.data(), on_inv_std.data(), on_scale.data(), nullptr};
      norm.gradients = {dgamma.data(), dbeta.data(), on_g.data(), of_x.data(), constant.data()};
      ASSERT_EQ(ConvolutionNorm(shape, config, multiprocessors)
                    .Backward(on_dy.data(), on_w.data(), norm, g.data(), workspace.data(), nullptr),
                absl::OkStatus());
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
      ExpectRounded(g.ToHost(), exact, name);
      ExpectNear(dgamma.ToHost(), reference.dgamma, name + " dgamma");
      ExpectNear(dbeta.ToHost(), reference.dbeta, name + " dbeta");
      ExpectNear(on_g.ToHost(), reference.on_g, name + " on_g");
      ExpectNear(of_x.ToHost(), reference.on_x, name + " on_x");
      ExpectNear(constant.ToHost(), reference.constant, name + " constant");
      if (HasFailure()) {
        return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConvolutionNormTest, testing::ValuesIn(Shapes()));

TEST(ConvolutionNormConfigsTest, CoversWhatResNet18RepeatsAndNothingElse) {
  const auto count = [](ConvolutionShape shape, ConvolutionPass pass) {
    return ConvolutionNormConfigs(shape, pass, 132).size();
  };
  // 32 images of 4x4, 512 channels: 4 tiles by 8 of 128 pixels, so that 2 or 4 blocks a tile fill the GPU, and 8 do not fit.
  EXPECT_EQ(count({32, 512, 4, 512, 3, 1}, ConvolutionPass::kForward), 4u);
  EXPECT_EQ(count({512, 64, 32, 64, 3, 1}, ConvolutionPass::kDataGradient), 2u);
  EXPECT_EQ(count({512, 64, 32, 64, 3, 1}, ConvolutionPass::kWeightGradient), 0u);
  EXPECT_EQ(count({32, 64, 32, 128, 3, 2}, ConvolutionPass::kForward), 0u);  // stride
  EXPECT_EQ(count({32, 64, 32, 128, 1, 1}, ConvolutionPass::kForward), 0u);  // filter
  EXPECT_EQ(count({32, 8, 32, 64, 3, 1}, ConvolutionPass::kForward), 0u);    // channels
  EXPECT_EQ(ConvolutionNormConfigs({32, 64, 32, 64, 3, 1}, ConvolutionPass::kForward, 0).size(), 0u);  // no such GPU
}

}  // namespace
}  // namespace lockstep
