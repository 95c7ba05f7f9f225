#include "lib/kernels/convolution_batch_norm.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/dataset/counter_random.h"
#include "lib/kernels/batch_norm_reference.h"
#include "lib/kernels/convolution_reference.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::ExpectRounded;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::SameBits;
using Bf16 = __nv_bfloat16;
constexpr float kMomentum = 0.125f;
constexpr float kEpsilon = 1e-5f;

// Tolerance of the results. The inputs are small integers, so that every product and sum is exact in bf16 and in fp32
// in any order; only the last few operations on a channel's sums round.
constexpr double kSumTolerance = 32 * 0x1p-24;
constexpr float kMaxRunningMean = 2;  // value that is subtracted in the sums

struct Exact {
  std::vector<Bf16> host;
  Values values;

  // Draws uniformly from the values of `from`.
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

std::string Name(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionBatchNormConfig& config) {
  return absl::StrCat(DescribeConvolution(shape, pass, ConvolutionType::kBf16), ", ",
                      DescribeConvolutionBatchNorm(config));
}

// `magnitude`: the largest intermediate value, if no result is as large.
void ExpectNear(const std::vector<float>& found, const Values& exact, const std::string& what, double magnitude = 0) {
  ASSERT_EQ(found.size(), exact.size()) << what;
  for (const double value : exact) {
    magnitude = std::max(magnitude, std::abs(value));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_LE(std::abs(found[i] - exact[i]), kSumTolerance * magnitude)
        << what << " " << i << ": " << found[i] << " for " << exact[i];
  }
}

struct LimitedLaunch {
  ConvolutionBatchNormConfig config;
  uint32_t multiprocessors;
};

// Returns the configurations for all multiprocessors, and those for one: there a block has all tiles of its channels,
// so that three groups of warps have some each, even of the small shapes. Also returns the pairs for as many
// multiprocessors as one pair for each channel block needs: there a pair has all tiles of its channels.
std::vector<LimitedLaunch> Launches(const ConvolutionShape& shape, ConvolutionPass pass) {
  std::vector<LimitedLaunch> launches;
  for (const uint32_t multiprocessors : {HopperMultiprocessors(), 1u}) {
    for (const ConvolutionBatchNormConfig& config : ConvolutionBatchNormConfigs(shape, pass, multiprocessors)) {
      launches.push_back({config, multiprocessors});
    }
  }
  constexpr uint32_t kPair = 2, kChannels = 64;
  const uint32_t channels = pass == ConvolutionPass::kForward ? shape.out_channels : shape.in_channels;
  const uint32_t few = kPair * channels / kChannels;
  for (const ConvolutionBatchNormConfig& config : ConvolutionBatchNormConfigs(shape, pass, few)) {
    if (config.weight_blocks == kPair) {
      launches.push_back({config, few});
    }
  }
  return launches;
}

// All image sizes, differing channels, batches that do not fill the last tile. 565 images give each block of an H200
// five tiles, and 36 images some blocks three and the others two.
std::vector<ConvolutionShape> Shapes() {
  return {{3, 64, 32, 64, 3, 1},
          {1, 64, 16, 128, 3, 1},
          {5, 128, 8, 64, 3, 1},
          {18, 64, 4, 64, 3, 1},
          {5, 256, 4, 512, 3, 1},
          {565, 64, 16, 64, 3, 1},
          {32, 64, 32, 64, 3, 1},
          {36, 64, 32, 64, 3, 1},
          {32, 128, 16, 128, 3, 1},
          {3, 64, 32, 128, 3, 2},
          {5, 128, 16, 64, 3, 2},
          {18, 64, 8, 64, 3, 2},
          {3, 64, 64, 64, 3, 2},
          {32, 256, 8, 512, 3, 2},
          // Pairs of blocks that share weights; in all but the second, the last tile has one or two images less.
          {23, 256, 8, 128, 3, 1},
          {12, 128, 8, 256, 3, 1},
          {30, 256, 4, 256, 3, 1},
          {15, 128, 16, 256, 3, 2},
          // Shapes for the forward pass only:
          {3, 64, 32, 128, 1, 2},
          {5, 128, 16, 64, 1, 2},
          {18, 64, 8, 64, 1, 2},
          {300, 64, 32, 64, 1, 2},
          {3, 32, 32, 64, 1, 1},
          {18, 8, 8, 64, 1, 1},
          {5, 128, 4, 64, 1, 1},
          {150, 32, 32, 64, 1, 1}};
}

class ConvolutionBatchNormTest : public ::testing::TestWithParam<ConvolutionShape> {
 protected:
  void SetUp() override {
    if (!HaveGpu() || HopperMultiprocessors() == 0) {
      GTEST_SKIP() << "needs a GPU of compute capability 9.0";
    }
  }
};

TEST_P(ConvolutionBatchNormTest, ForwardIsTheConvolutionAndItsStatistics) {
  const ConvolutionShape shape = GetParam();
  const uint32_t channels = shape.out_channels;
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kForward);
  const Exact x(1, counts.a, kActivation), w(2, counts.b, kWeight);
  Values exact(counts.out);
  ConvolutionReference(shape, ConvolutionPass::kForward, x.host.data(), w.host.data(), exact.data());
  const std::vector<float> gamma = Floats(3, channels, {0.5f, 1, 2}), beta = Floats(4, channels, {-1, 0, 0.25f});
  const std::vector<float> mean = Floats(5, channels, {-1, 0, kMaxRunningMean}), var = Floats(6, channels, {1, 4});
  const BatchNormShape rows = {static_cast<uint32_t>(counts.out / channels), channels};
  const BatchNormStatisticsReference reference =
      ReferenceStatistics(rows, exact, Doubles(gamma), Doubles(beta), Doubles(mean), Doubles(var), kMomentum, kEpsilon);

  DeviceArray<Bf16> on_x(x.host), on_w(w.host);
  DeviceArray<char> workspace(std::vector<char>(ConvolutionBatchNormWorkspaceBytes(HopperMultiprocessors()), 0));
  for (const auto& [config, multiprocessors] : Launches(shape, ConvolutionPass::kForward)) {
    const std::string name =
        absl::StrCat(Name(shape, ConvolutionPass::kForward, config), ", at most ", multiprocessors, " multiprocessors");
    std::vector<Bf16> first;
    for (int run = 0; run < 2; ++run) {  // two runs: the workspace must be left ready, and the bits must be equal
      DeviceArray<Bf16> y(counts.out);
      DeviceArray<float> on_gamma(gamma), on_beta(beta), on_mean(mean), on_var(var);
      DeviceArray<float> batch_mean(channels), inv_std(channels), scale(channels), shift(channels);
      const BatchNormParameters parameters = {on_gamma.data(), on_beta.data(), on_mean.data(),
                                              on_var.data(),   kMomentum,      kEpsilon};
      const BatchNormState state = {batch_mean.data(), inv_std.data(), scale.data(), shift.data()};
      ASSERT_EQ(ConvolutionBatchNorm(shape, config, multiprocessors)
                    .Forward(on_x.data(), on_w.data(), y.data(), parameters, state, workspace.data(), nullptr),
                absl::OkStatus());
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
      ExpectRounded(y.ToHost(), exact, name);
      ExpectNear(batch_mean.ToHost(), reference.mean, name + " mean", kMaxRunningMean);
      ExpectNear(inv_std.ToHost(), reference.inv_std, name + " inv_std");
      ExpectNear(scale.ToHost(), reference.scale, name + " scale");
      ExpectNear(shift.ToHost(), reference.shift, name + " shift", kMaxRunningMean);
      ExpectNear(on_mean.ToHost(), reference.running_mean, name + " running mean", kMaxRunningMean);
      ExpectNear(on_var.ToHost(), reference.running_var, name + " running variance");
      if (HasFailure()) {
        return;
      }
    }
  }
}

TEST_P(ConvolutionBatchNormTest, BackwardIsTheDataGradientMaskedAndItsSums) {
  const ConvolutionShape shape = GetParam();
  const uint32_t channels = shape.in_channels;
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
  DeviceArray<char> workspace(std::vector<char>(ConvolutionBatchNormWorkspaceBytes(HopperMultiprocessors()), 0));
  DeviceArray<float> on_mean(mean), on_inv_std(inv_std), on_scale(scale);
  // Gradients of both convolutions: their sum is rounded once.
  const ConvolutionShape point = {shape.images, shape.in_channels, shape.in_size, shape.out_channels, 1, shape.stride};
  const Exact point_dy(10, counts.a, kActivation), point_w(11, size_t{shape.in_channels} * shape.out_channels, kWeight);
  Values point_convolved(counts.out);
  ConvolutionReference(point, ConvolutionPass::kDataGradient, point_dy.host.data(), point_w.host.data(),
                       point_convolved.data());
  DeviceArray<Bf16> on_point_dy(point_dy.host), on_point_w(point_w.host);
  for (int run = 0; run < (shape.stride == 2 ? 4 : 2); ++run) {
    const bool with_addend = run % 2 == 1, with_shortcut = run >= 2;
    ConvolutionBatchNorm::Shortcut shortcut;
    if (with_shortcut) {
      shortcut = {on_point_dy.data(), on_point_w.data()};
    }
    Values exact(counts.out);
    for (size_t i = 0; i < exact.size(); ++i) {
      const double sum =
          static_cast<float>(Bf16(static_cast<float>(convolved[i] + (with_shortcut ? point_convolved[i] : 0)))) +
          (with_addend ? addend.values[i] : 0.0);
      exact[i] = (mask[i / 8] >> i % 8 & 1) != 0 ? static_cast<float>(Bf16(static_cast<float>(sum))) : 0.0f;
    }
    const BatchNormReduceReference reference =
        ReferenceBackwardReduce(rows, x.values, exact, Doubles(mean), Doubles(inv_std), Doubles(scale));
    for (const auto& [config, multiprocessors] : Launches(shape, ConvolutionPass::kDataGradient)) {
      const std::string name =
          absl::StrCat(Name(shape, ConvolutionPass::kDataGradient, config), ", at most ", multiprocessors,
                       " multiprocessors", with_addend ? ", addend" : "", with_shortcut ? ", shortcut" : "");
      DeviceArray<Bf16> g(counts.out);
      DeviceArray<float> dgamma(channels), dbeta(channels), on_g(channels), of_x(channels), constant(channels);
      ConvolutionBatchNorm::BatchNormOperands batch_norm;
      batch_norm.x = on_x.data();
      batch_norm.addend = with_addend ? on_addend.data() : nullptr;
      batch_norm.relu_mask = on_mask.data();
      batch_norm.state = {on_mean.data(), on_inv_std.data(), on_scale.data(), nullptr};
      batch_norm.gradients = {dgamma.data(), dbeta.data(), on_g.data(), of_x.data(), constant.data()};
      ASSERT_EQ(ConvolutionBatchNorm(shape, config, multiprocessors)
                    .Backward(on_dy.data(), on_w.data(), shortcut, batch_norm, g.data(), workspace.data(), nullptr),
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

// Expects the bits of the launch without, followed by the kernel that applies; twice, because the counters must be left
// as they were.
void ExpectForwardAndApplyIsForwardAndThenApply(const ConvolutionShape& shape) {
  const uint32_t multiprocessors = HopperMultiprocessors(), channels = shape.out_channels;
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kForward);
  const Exact x(1, counts.a, kActivation), w(2, counts.b, kWeight), residual(7, counts.out, {-3, -1, 0, 2});
  const std::vector<float> gamma = Floats(3, channels, {0.5f, 1, 2}), beta = Floats(4, channels, {-1, 0, 0.25f});
  const std::vector<float> residual_scale = Floats(8, channels, {0.75f, -1, 2}),
                           residual_shift = Floats(9, channels, {-1, 0.5f});
  const BatchNormShape rows = {static_cast<uint32_t>(counts.out / channels), channels};
  DeviceArray<Bf16> on_x(x.host), on_w(w.host), on_residual(residual.host);
  DeviceArray<float> on_gamma(gamma), on_beta(beta), on_scale(residual_scale), on_shift(residual_shift);
  DeviceArray<char> workspace(std::vector<char>(ConvolutionBatchNormWorkspaceBytes(multiprocessors), 0));
  DeviceArray<char> lamport_buffer(std::vector<char>(ConvolutionBatchNormLamportBytes(), 0));
  const BatchNormResidual<Bf16> residuals[] = {
      {}, {on_residual.data(), nullptr, nullptr}, {on_residual.data(), on_scale.data(), on_shift.data()}};
  for (const ConvolutionBatchNormConfig& config :
       ConvolutionBatchNormConfigs(shape, ConvolutionPass::kForward, multiprocessors)) {
    const ConvolutionBatchNorm convolution(shape, config, multiprocessors);
    for (int run = 0; run < 6; ++run) {
      const std::string name = absl::StrCat(Name(shape, ConvolutionPass::kForward, config), ", run ", run);
      DeviceArray<Bf16> raw(counts.out), raw_applied(counts.out), y(counts.out), y_applied(counts.out);
      DeviceArray<uint8_t> mask(counts.out / 8), mask_applied(counts.out / 8);
      DeviceArray<float> mean(std::vector<float>(channels, 1)), var(std::vector<float>(channels, 1));
      DeviceArray<float> mean_applied(std::vector<float>(channels, 1)), var_applied(std::vector<float>(channels, 1));
      DeviceArray<float> state(4 * channels), state_applied(4 * channels);
      const auto state_of = [&](float* at) {
        return BatchNormState{at, at + channels, at + 2 * channels, at + 3 * channels};
      };
      const BatchNormParameters parameters = {on_gamma.data(), on_beta.data(), mean.data(),
                                              var.data(),      kMomentum,      kEpsilon};
      const BatchNormParameters applied = {on_gamma.data(),    on_beta.data(), mean_applied.data(),
                                           var_applied.data(), kMomentum,      kEpsilon};
      const absl::Status ran = convolution.ForwardAndApply(
          on_x.data(), on_w.data(), raw_applied.data(), applied, state_of(state_applied.data()), residuals[run % 3],
          y_applied.data(), mask_applied.data(), lamport_buffer.data(), nullptr);
      if (!ConvolutionBatchNormCanApply(shape, ConvolutionPass::kForward, config, multiprocessors)) {
        EXPECT_EQ(ran.code(), absl::StatusCode::kInvalidArgument) << name;
        break;
      }
      ASSERT_EQ(ran, absl::OkStatus()) << name;
      ASSERT_EQ(convolution.Forward(on_x.data(), on_w.data(), raw.data(), parameters, state_of(state.data()),
                                    workspace.data(), nullptr),
                absl::OkStatus());
      ASSERT_EQ(BatchNormApply<Bf16>(rows, raw.data(), state.data() + 2 * channels, state.data() + 3 * channels,
                                     residuals[run % 3], y.data(), mask.data(), RowOrder::kLastToFirst, nullptr),
                cudaSuccess);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
      EXPECT_TRUE(SameBits(raw_applied.ToHost(), raw.ToHost())) << name;
      EXPECT_TRUE(SameBits(state_applied.ToHost(), state.ToHost())) << name;
      EXPECT_TRUE(SameBits(mean_applied.ToHost(), mean.ToHost())) << name;
      EXPECT_TRUE(SameBits(var_applied.ToHost(), var.ToHost())) << name;
      EXPECT_TRUE(SameBits(y_applied.ToHost(), y.ToHost())) << name;
      EXPECT_TRUE(SameBits(mask_applied.ToHost(), mask.ToHost())) << name;
      if (::testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

TEST_P(ConvolutionBatchNormTest, ForwardAndApplyIsForwardAndThenApply) {
  ExpectForwardAndApplyIsForwardAndThenApply(GetParam());
}

// Shapes whose blocks have more tiles than their registers hold, on 132 multiprocessors. After each shape: the tiles of
// a block, and the slots for them in shared memory with two and with three groups.
std::vector<ConvolutionShape> ShapesOfManyTiles() {
  return {{64, 64, 32, 64, 3, 1},     // 3 or 4 tiles, 4 and 3 slots
          {100, 64, 32, 64, 3, 1},    // 6 or 7, 4 and 3
          {128, 64, 32, 64, 3, 1},    // 7 or 8, 4 and 3
          {128, 128, 16, 128, 3, 1},  // 3 or 4, 4 and 3
          {603, 64, 8, 64, 3, 1},     // 2 or 3, 4 and 3; one image in the last tile
          {2117, 64, 4, 64, 3, 1},    // 2 or 3, 2 (no three groups for these images); five images in the last tile
          {128, 64, 32, 128, 3, 2},   // 3 or 4, 2 and 3
          {128, 32, 32, 64, 1, 1}};   // 7 or 8, 8 and 9
}

class ManyTilesTest : public ConvolutionBatchNormTest {};

TEST_P(ManyTilesTest, ForwardAndApplyIsForwardAndThenApply) {
  const ConvolutionShape shape = GetParam();
  const uint32_t multiprocessors = HopperMultiprocessors();
  if (multiprocessors < 132) {
    GTEST_SKIP() << "needs 132 multiprocessors";
  }
  for (const ConvolutionBatchNormConfig& config :
       ConvolutionBatchNormConfigs(shape, ConvolutionPass::kForward, multiprocessors)) {
    EXPECT_EQ(ConvolutionBatchNormCanApply(shape, ConvolutionPass::kForward, config, multiprocessors),
              config.pixels == 128)
        << Name(shape, ConvolutionPass::kForward, config);
  }
  ExpectForwardAndApplyIsForwardAndThenApply(shape);
}

INSTANTIATE_TEST_SUITE_P(All, ManyTilesTest, ::testing::ValuesIn(ShapesOfManyTiles()));

// A word of 0 means that its block has not written it yet: sums of 0 must not be mistaken for it.
void ExpectSumsOfZeroArrive(const ConvolutionShape& shape, const ConvolutionBatchNormConfig& config) {
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kForward);
  const uint32_t multiprocessors = HopperMultiprocessors(), channels = shape.out_channels;
  DeviceArray<Bf16> x(counts.a), w(counts.b), raw(counts.out), y(counts.out);
  DeviceArray<uint8_t> mask(counts.out / 8);
  DeviceArray<float> ones(std::vector<float>(channels, 1)), zeros(std::vector<float>(channels, 0));
  DeviceArray<float> mean(std::vector<float>(channels, 0)), var(std::vector<float>(channels, 1)), state(4 * channels);
  DeviceArray<char> lamport_buffer(std::vector<char>(ConvolutionBatchNormLamportBytes(), 0));
  const BatchNormParameters parameters = {ones.data(), zeros.data(), mean.data(), var.data(), kMomentum, kEpsilon};
  const BatchNormState of_state = {state.data(), state.data() + channels, state.data() + 2 * channels,
                                   state.data() + 3 * channels};
  ASSERT_EQ(cudaMemset(x.data(), 0, counts.a * sizeof(Bf16)), cudaSuccess);
  ASSERT_EQ(cudaMemset(w.data(), 0, counts.b * sizeof(Bf16)), cudaSuccess);
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(ConvolutionBatchNorm(shape, config, multiprocessors)
                  .ForwardAndApply(x.data(), w.data(), raw.data(), parameters, of_state, {}, y.data(), mask.data(),
                                   lamport_buffer.data(), nullptr),
              absl::OkStatus());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(state.ToHost()[0], 0.0f);
  }
}

TEST(ConvolutionBatchNormTest, SumsOfZeroArrive) {
  struct Applying {
    ConvolutionShape shape;
    ConvolutionBatchNormConfig config;
  };
  // Two tiles per block in registers, and four in shared memory of two and of three groups.
  const Applying launches[] = {
      {{32, 128, 16, 128, 3, 1}, {128, 1}}, {{64, 64, 32, 64, 3, 1}, {128, 1}}, {{64, 64, 32, 64, 3, 1}, {128, 1, 3}}};
  for (const auto& [shape, config] : launches) {
    if (!HaveGpu() ||
        !ConvolutionBatchNormCanApply(shape, ConvolutionPass::kForward, config, HopperMultiprocessors())) {
      GTEST_SKIP() << "needs a GPU of compute capability 9.0 with 64 multiprocessors";
    }
    ExpectSumsOfZeroArrive(shape, config);
  }
}

// Expects the bits of the launch without, followed by the kernel that applies: with the result in other memory and in
// that of x, with the gradient of the batch norm's output and without; twice, because the counters must be left as they
// were.
void ExpectBackwardAndApplyIsBackwardAndThenApply(const ConvolutionShape& shape) {
  const uint32_t multiprocessors = HopperMultiprocessors(), channels = shape.in_channels;
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kDataGradient);
  const Exact dy(1, counts.a, kActivation), w(2, counts.b, kWeight), x(3, counts.out, {-2, 0, 1});
  const Exact addend(4, counts.out, {-4, 0, 4}), point_dy(10, counts.a, kActivation);
  const Exact point_w(11, size_t{shape.in_channels} * shape.out_channels, kWeight);
  const std::vector<float> mean = Floats(6, channels, {-0.5f, 0, 0.25f}), inv_std = Floats(7, channels, {0.5f, 1, 2});
  const std::vector<float> scale = Floats(8, channels, {0.5f, 1, 4});
  const BatchNormShape rows = {static_cast<uint32_t>(counts.out / channels), channels};
  DeviceArray<Bf16> on_dy(dy.host), on_w(w.host), on_x(x.host), on_addend(addend.host);
  DeviceArray<Bf16> on_point_dy(point_dy.host), on_point_w(point_w.host);
  DeviceArray<uint8_t> mask(std::vector<uint8_t>(counts.out / 8, 0x5B));
  DeviceArray<float> on_mean(mean), on_inv_std(inv_std), on_scale(scale);
  DeviceArray<char> workspace(std::vector<char>(ConvolutionBatchNormWorkspaceBytes(multiprocessors), 0));
  DeviceArray<char> lamport_buffer(std::vector<char>(ConvolutionBatchNormLamportBytes(), 0));
  for (const ConvolutionBatchNormConfig& config :
       ConvolutionBatchNormConfigs(shape, ConvolutionPass::kDataGradient, multiprocessors)) {
    const ConvolutionBatchNorm convolution(shape, config, multiprocessors);
    for (int run = 0; run < 4; ++run) {
      const std::string name = absl::StrCat(Name(shape, ConvolutionPass::kDataGradient, config), ", run ", run);
      const bool in_place = run % 2 == 1;
      ConvolutionBatchNorm::Shortcut shortcut;
      if (shape.stride == 2 && run >= 2) {
        shortcut = {on_point_dy.data(), on_point_w.data()};
      }
      DeviceArray<Bf16> g(counts.out), g_applied(counts.out), dx(counts.out), dx_applied(x.host);
      DeviceArray<float> gradients(5 * channels), gradients_applied(5 * channels);
      const auto batch_norm_of = [&](const Bf16* of_x, float* at) {
        ConvolutionBatchNorm::BatchNormOperands batch_norm;
        batch_norm.x = of_x;
        batch_norm.addend = run < 2 ? on_addend.data() : nullptr;
        batch_norm.relu_mask = mask.data();
        batch_norm.state = {on_mean.data(), on_inv_std.data(), on_scale.data(), nullptr};
        batch_norm.gradients = {at, at + channels, at + 2 * channels, at + 3 * channels, at + 4 * channels};
        return batch_norm;
      };
      const ConvolutionBatchNorm::BatchNormOperands applied =
          batch_norm_of(in_place ? dx_applied.data() : on_x.data(), gradients_applied.data());
      const absl::Status ran = convolution.BackwardAndApply(on_dy.data(), on_w.data(), shortcut, applied,
                                                            in_place ? nullptr : g_applied.data(), dx_applied.data(),
                                                            lamport_buffer.data(), nullptr);
      if (!ConvolutionBatchNormCanApply(shape, ConvolutionPass::kDataGradient, config, multiprocessors)) {
        EXPECT_EQ(ran.code(), absl::StatusCode::kInvalidArgument) << name;
        break;
      }
      ASSERT_EQ(ran, absl::OkStatus()) << name;
      const ConvolutionBatchNorm::BatchNormOperands batch_norm = batch_norm_of(on_x.data(), gradients.data());
      ASSERT_EQ(
          convolution.Backward(on_dy.data(), on_w.data(), shortcut, batch_norm, g.data(), workspace.data(), nullptr),
          absl::OkStatus());
      ASSERT_EQ(BatchNormBackwardApply<Bf16>(rows, on_x.data(), {g.data(), nullptr, nullptr}, batch_norm.gradients,
                                             dx.data(), nullptr, RowOrder::kLastToFirst, nullptr),
                cudaSuccess);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
      EXPECT_TRUE(SameBits(gradients_applied.ToHost(), gradients.ToHost())) << name;
      EXPECT_TRUE(SameBits(dx_applied.ToHost(), dx.ToHost())) << name;
      if (!in_place) {
        EXPECT_TRUE(SameBits(g_applied.ToHost(), g.ToHost())) << name;
      }
      if (::testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

TEST_P(ConvolutionBatchNormTest, BackwardAndApplyIsBackwardAndThenApply) {
  ExpectBackwardAndApplyIsBackwardAndThenApply(GetParam());
}

// Shapes whose blocks have more tiles than their registers hold, on 132 multiprocessors, and a slot in shared memory
// for each tile. After each shape: the tiles of a block, and the slots.
std::vector<ConvolutionShape> ShapesOfManyGradientTiles() {
  return {{64, 64, 32, 64, 3, 1},     // 3 or 4 tiles, 4 slots
          {603, 64, 8, 64, 3, 1},     // 2 or 3, 4; one image in the last tile
          {50, 64, 32, 64, 3, 2},     // 3 or 4, 4
          {130, 256, 8, 512, 3, 2}};  // 2 or 3, 4; two images in the last tile
}

class ManyGradientTilesTest : public ConvolutionBatchNormTest {};

TEST_P(ManyGradientTilesTest, BackwardAndApplyIsBackwardAndThenApply) {
  const uint32_t multiprocessors = HopperMultiprocessors();
  if (multiprocessors < 132) {
    GTEST_SKIP() << "needs 132 multiprocessors";
  }
  EXPECT_TRUE(ConvolutionBatchNormCanApply(GetParam(), ConvolutionPass::kDataGradient, {128, 1}, multiprocessors));
  ExpectBackwardAndApplyIsBackwardAndThenApply(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, ManyGradientTilesTest, ::testing::ValuesIn(ShapesOfManyGradientTiles()));

INSTANTIATE_TEST_SUITE_P(All, ConvolutionBatchNormTest, ::testing::ValuesIn(Shapes()));

TEST(ConvolutionBatchNormTest, AShortcutWantsAStrideOf2) {
  const Bf16* const somewhere = reinterpret_cast<const Bf16*>(0x1000);
  EXPECT_EQ(ConvolutionBatchNorm({32, 64, 32, 64, 3, 1}, {256, 1}, 132)
                .Backward(somewhere, somewhere, {somewhere, somewhere}, {}, nullptr, nullptr, nullptr)
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
