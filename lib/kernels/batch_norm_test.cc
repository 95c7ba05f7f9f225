#include "lib/kernels/batch_norm.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/counter_random.h"
#include "lib/kernels/batch_norm_reference.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::SameBits;

constexpr double kUnit = 0x1p-24;  // relative rounding error of fp32, round to nearest: half a unit in the last place
constexpr float kMomentum = 0.1f;
constexpr float kEpsilon = 1e-5f;
constexpr uint32_t kMultiprocessors = 132;  // H200

// Relative error of rounding a result to T: half a unit in the last of 24 or, in bf16, 8 significant bits.
template <typename T>
constexpr double RoundingOf() {
  return std::is_same_v<T, float> ? kUnit : 0x1p-8;
}

// Fails at the first value that is further from `expected` than `bound` allows; NaN always fails.
void ExpectWithin(const std::vector<float>& found, const Values& expected, const Values& bound,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_LE(std::abs(found[i] - expected[i]), bound[i])
        << what << " " << i << ": " << found[i] << " for " << expected[i];
  }
}

template <typename T>
std::vector<float> ToFloats(const std::vector<T>& values) {
  std::vector<float> floats;
  for (const T& value : values) {
    floats.push_back(static_cast<float>(value));
  }
  return floats;
}

// Input of a kernel: as stored on the device (rounded to T), and as the reference reads it.
template <typename T>
struct Both {
  std::vector<T> host;
  Values values;

  // Draws uniformly from [centre - width, centre + width]; the centre is shifted by a tenth of the channel's index.
  Both(uint64_t seed, size_t count, double centre, double width, uint32_t channels = 1) {
    CounterRandom random(seed, RandomPurpose::kSyntheticImage, 1, 2);
    for (size_t i = 0; i < count; ++i) {
      const double unit = static_cast<double>(random.Below(1u << 24)) / (1 << 23) - 1;
      host.push_back(T(static_cast<float>(centre + 0.1 * static_cast<double>(i % channels % 7) + width * unit)));
      values.push_back(static_cast<float>(host.back()));
    }
  }
};

constexpr size_t kWorkspaceBytes = 1 << 20;

std::vector<BatchNormShape> Shapes() { return {{2, 64}, {65, 64}, {100, 128}, {300, 512}, {20'011, 64}}; }

// Returns the largest number of successive additions that contribute to a total: a thread's rows, two in its warp, 16
// warps, every eighth block, eight.
double AdditionDepth(const BatchNormShape& shape, const BatchNormLaunch& launch) {
  return std::ceil(shape.rows / (64.0 * launch.row_blocks)) + 2 + 16 + std::ceil(launch.row_blocks / 8.0) + 8;
}

// Returns each channel's mean of f(x) over the rows.
template <typename F>
Values MeanOver(const BatchNormShape& shape, const Values& x, F f) {
  Values means(shape.channels);
  for (size_t i = 0; i < x.size(); ++i) {
    means[i % shape.channels] += f(i, x[i]) / shape.rows;
  }
  return means;
}

template <typename T>
void CheckStatistics(const BatchNormShape& shape, void* workspace) {
  const size_t size = static_cast<size_t>(shape.rows) * shape.channels;
  const uint32_t c_count = shape.channels;
  const Both<T> x(1, size, 0.5, 2, c_count);
  const Both<float> gamma(2, c_count, 1, 0.5), beta(3, c_count, 0, 0.5), mean(4, c_count, 0.4, 0.3),
      var(5, c_count, 1, 0.5);
  const auto expected =
      ReferenceStatistics(shape, x.values, gamma.values, beta.values, mean.values, var.values, kMomentum, kEpsilon);

  DeviceArray<T> device_x(x.host);
  DeviceArray<float> device_gamma(gamma.host), device_beta(beta.host), running_mean(mean.host), running_var(var.host);
  DeviceArray<float> out_mean(c_count), inv_std(c_count), scale(c_count), shift(c_count);
  const BatchNormLaunch launch = PlanBatchNorm(shape, kMultiprocessors);
  ASSERT_LE(BatchNormWorkspaceBytes(launch), kWorkspaceBytes);
  const BatchNormState state = {out_mean.data(), inv_std.data(), scale.data(), shift.data()};
  std::vector<float> first_mean;
  for (int run = 0; run < 2; ++run) {  // the second run uses the workspace as the first left it
    DeviceArray<float> moving_mean(mean.host), moving_var(var.host);
    const BatchNormParameters parameters = {device_gamma.data(), device_beta.data(), moving_mean.data(),
                                            moving_var.data(),   kMomentum,          kEpsilon};
    ASSERT_EQ(BatchNormStatistics(shape, launch, device_x.data(), parameters, state, workspace, nullptr), cudaSuccess);
    // The error of the sums is that of their additions, relative to the sum of magnitudes; five more roundings follow.
    const double depth = AdditionDepth(shape, launch) + 5;
    const auto moved = [&](size_t i, double v) { return std::abs(v - mean.values[i % c_count]); };
    const Values first = MeanOver(shape, x.values, moved);
    const Values second = MeanOver(shape, x.values, [&](size_t i, double v) { return moved(i, v) * moved(i, v); });
    Values mean_bound, std_bound, scale_bound, shift_bound, running_mean_bound, running_var_bound;
    for (uint32_t c = 0; c < c_count; ++c) {
      const double e_mean = depth * kUnit * first[c] + 2 * kUnit * std::abs(expected.mean[c]);
      const double e_var = depth * kUnit * second[c] + 2 * first[c] * e_mean;
      const double inv = expected.inv_std[c];
      // d(1/sqrt(v)) = dv / (2 v^1.5); rsqrtf itself is within 2 units in the last place, which are 4 times kUnit.
      const double e_inv = e_var * inv * inv * inv / 2 + 4 * kUnit * inv;
      const double e_scale = gamma.values[c] * e_inv + kUnit * std::abs(expected.scale[c]);
      mean_bound.push_back(e_mean);
      std_bound.push_back(e_inv);
      scale_bound.push_back(e_scale);
      shift_bound.push_back(std::abs(expected.mean[c]) * e_scale + std::abs(expected.scale[c]) * e_mean +
                            2 * kUnit * (std::abs(expected.mean[c] * expected.scale[c]) + std::abs(expected.shift[c])));
      running_mean_bound.push_back(kMomentum * e_mean + 4 * kUnit * (std::abs(mean.values[c]) + first[c]));
      running_var_bound.push_back(2 * kMomentum * e_var + 6 * kUnit * (var.values[c] + 2 * second[c]));
    }
    ExpectWithin(out_mean.ToHost(), expected.mean, mean_bound, "mean");
    ExpectWithin(inv_std.ToHost(), expected.inv_std, std_bound, "inv_std");
    ExpectWithin(scale.ToHost(), expected.scale, scale_bound, "scale");
    ExpectWithin(shift.ToHost(), expected.shift, shift_bound, "shift");
    ExpectWithin(moving_mean.ToHost(), expected.running_mean, running_mean_bound, "running_mean");
    ExpectWithin(moving_var.ToHost(), expected.running_var, running_var_bound, "running_var");
    if (run == 0) {
      first_mean = out_mean.ToHost();
    } else {
      EXPECT_EQ(out_mean.ToHost(), first_mean) << "two runs differ";
    }
  }
}

enum class Residual { kNone, kIdentity, kScaled };

template <typename T>
void CheckApply(const BatchNormShape& shape, Residual kind, bool relu) {
  const size_t size = static_cast<size_t>(shape.rows) * shape.channels;
  const Both<T> x(1, size, 0, 2), r(2, kind == Residual::kNone ? 0 : size, 0, 2);
  const size_t r_channels = kind == Residual::kScaled ? shape.channels : 0;
  const Both<float> scale(3, shape.channels, 1, 0.9), shift(4, shape.channels, 0, 1), r_scale(5, r_channels, 1, 0.5),
      r_shift(6, r_channels, 0, 1);
  const Values before =
      ReferenceApply(shape, x.values, scale.values, shift.values, r.values, r_scale.values, r_shift.values);

  DeviceArray<T> device_x(x.host), device_r(r.host), y(size);
  DeviceArray<float> device_scale(scale.host), device_shift(shift.host), device_r_scale(r_scale.host),
      device_r_shift(r_shift.host);
  DeviceArray<uint8_t> mask(size / 8);
  BatchNormResidual<T> residual;
  residual.residual = kind == Residual::kNone ? nullptr : device_r.data();
  residual.scale = kind == Residual::kScaled ? device_r_scale.data() : nullptr;
  residual.shift = kind == Residual::kScaled ? device_r_shift.data() : nullptr;
  DeviceArray<T> y_of_last_first(size);
  DeviceArray<uint8_t> mask_of_last_first(size / 8);
  const auto apply = [&](RowOrder order, DeviceArray<T>& to, DeviceArray<uint8_t>& to_mask) {
    return BatchNormApply(shape, device_x.data(), device_scale.data(), device_shift.data(), residual, to.data(),
                          relu ? to_mask.data() : nullptr, order, nullptr);
  };
  ASSERT_EQ(apply(RowOrder::kFirstToLast, y, mask), cudaSuccess);
  ASSERT_EQ(apply(RowOrder::kLastToFirst, y_of_last_first, mask_of_last_first), cudaSuccess);
  EXPECT_TRUE(SameBits(y_of_last_first.ToHost(), y.ToHost()));
  EXPECT_TRUE(SameBits(mask_of_last_first.ToHost(), mask.ToHost()));

  Values expected, bound;
  for (size_t i = 0; i < size; ++i) {
    const size_t c = i % shape.channels;
    double magnitude = std::abs(scale.values[c] * x.values[i]) + std::abs(shift.values[c]);
    if (kind != Residual::kNone) {
      magnitude += kind == Residual::kScaled ? std::abs(r_scale.values[c] * r.values[i]) + std::abs(r_shift.values[c])
                                             : std::abs(r.values[i]);
    }
    expected.push_back(relu ? std::max(before[i], 0.0) : before[i]);
    // At most five roundings in fp32, then one to T.
    bound.push_back(5 * kUnit * magnitude + RoundingOf<T>() * std::abs(expected[i]) * (1 + 1e-6));
  }
  ExpectWithin(ToFloats(y.ToHost()), expected, bound, "y");
  const std::vector<uint8_t> bits = mask.ToHost();
  for (size_t i = 0; relu && i < size; ++i) {
    const bool sure = std::abs(before[i]) > bound[i];
    ASSERT_TRUE(!sure || (bits[i / 8] >> i % 8 & 1) == (before[i] > 0)) << "mask of " << i;
  }
}

template <typename T>
struct Upstream {
  Both<T> dy, dy2;
  std::vector<uint8_t> mask;
  Values g;  // the gradient before the ReLU, added up in fp32

  Upstream(size_t size, bool two, bool relu) : dy(7, size, 0.1, 1), dy2(8, two ? size : 0, 0.05, 1) {
    CounterRandom random(9, RandomPurpose::kSyntheticImage, 1, 2);
    for (size_t i = 0; i < (relu ? size / 8 : 0); ++i) {
      mask.push_back(static_cast<uint8_t>(random.Next()));
    }
    for (size_t i = 0; i < size; ++i) {
      const bool on = !relu || (mask[i / 8] >> i % 8 & 1) != 0;
      g.push_back(
          on ? static_cast<double>(static_cast<float>(dy.values[i]) + (two ? static_cast<float>(dy2.values[i]) : 0.0f))
             : 0.0);
    }
  }
};

template <typename T>
void CheckBackwardReduce(const BatchNormShape& shape, bool two, bool relu, void* workspace) {
  const size_t size = static_cast<size_t>(shape.rows) * shape.channels;
  const uint32_t c_count = shape.channels;
  const Both<T> x(1, size, 0.5, 2, c_count);
  const Both<float> mean(2, c_count, 0.6, 0.3), inv_std(3, c_count, 1, 0.5), scale(4, c_count, 1, 0.5);
  const Upstream<T> up(size, two, relu);
  const auto expected = ReferenceBackwardReduce(shape, x.values, up.g, mean.values, inv_std.values, scale.values);

  DeviceArray<T> device_x(x.host), dy(up.dy.host), dy2(up.dy2.host);
  DeviceArray<uint8_t> mask(up.mask);
  DeviceArray<float> device_mean(mean.host), device_inv_std(inv_std.host), device_scale(scale.host), unused(c_count);
  DeviceArray<float> dgamma(c_count), dbeta(c_count), on_g(c_count), on_x(c_count), constant(c_count);
  const BatchNormLaunch launch = PlanBatchNorm(shape, kMultiprocessors);
  ASSERT_LE(BatchNormWorkspaceBytes(launch), kWorkspaceBytes);
  const BatchNormUpstream<T> upstream = {dy.data(), two ? dy2.data() : nullptr, relu ? mask.data() : nullptr};
  ASSERT_EQ(BatchNormBackwardReduce(shape, launch, device_x.data(), upstream,
                                    {device_mean.data(), device_inv_std.data(), device_scale.data(), unused.data()},
                                    {dgamma.data(), dbeta.data(), on_g.data(), on_x.data(), constant.data()}, workspace,
                                    nullptr),
            cudaSuccess);

  const double depth =
      AdditionDepth(shape, launch) + 6;  // x - mean, its product, inv_std, and three of the coefficients
  const Values g_size = MeanOver(shape, up.g, [](size_t, double g) { return std::abs(g); });
  const Values gx_size = MeanOver(shape, up.g, [&](size_t i, double g) {
    return std::abs(g) * (std::abs(x.values[i]) + std::abs(mean.values[i % c_count]));
  });
  Values dbeta_bound, dgamma_bound, on_x_bound, constant_bound;
  for (uint32_t c = 0; c < c_count; ++c) {
    const double e_beta = depth * kUnit * g_size[c];                        // error of the mean over the rows
    const double e_gamma = depth * kUnit * gx_size[c] * inv_std.values[c];  // error of the mean for gamma
    const double e_on_x = scale.values[c] * inv_std.values[c] * e_gamma + 4 * kUnit * std::abs(expected.on_x[c]);
    dbeta_bound.push_back(shape.rows * e_beta);
    dgamma_bound.push_back(shape.rows * e_gamma);
    on_x_bound.push_back(e_on_x);
    constant_bound.push_back(scale.values[c] * e_beta + std::abs(mean.values[c]) * e_on_x +
                             4 * kUnit * (scale.values[c] * g_size[c] + std::abs(expected.on_x[c] * mean.values[c])));
  }
  ExpectWithin(dbeta.ToHost(), expected.dbeta, dbeta_bound, "dbeta");
  ExpectWithin(dgamma.ToHost(), expected.dgamma, dgamma_bound, "dgamma");
  ExpectWithin(on_g.ToHost(), expected.on_g, Values(c_count, 0.0), "on_g");
  ExpectWithin(on_x.ToHost(), expected.on_x, on_x_bound, "on_x");
  ExpectWithin(constant.ToHost(), expected.constant, constant_bound, "constant");
}

template <typename T>
void CheckBackwardApply(const BatchNormShape& shape, bool two, bool relu) {
  const size_t size = static_cast<size_t>(shape.rows) * shape.channels;
  const Both<T> x(1, size, 0.5, 2);
  const Both<float> on_g(2, shape.channels, 1, 0.5), on_x(3, shape.channels, 0, 0.2),
      constant(4, shape.channels, 0, 0.3);
  const Upstream<T> up(size, two, relu);

  DeviceArray<T> device_x(x.host), dy(up.dy.host), dy2(up.dy2.host), dx(size), dresidual(size);
  DeviceArray<uint8_t> mask(up.mask);
  DeviceArray<float> device_on_g(on_g.host), device_on_x(on_x.host), device_constant(constant.host);
  const BatchNormUpstream<T> upstream = {dy.data(), two ? dy2.data() : nullptr, relu ? mask.data() : nullptr};
  DeviceArray<T> dx_of_last_first(size), dresidual_of_last_first(size);
  const auto apply = [&](RowOrder order, DeviceArray<T>& to, DeviceArray<T>& to_residual) {
    return BatchNormBackwardApply(shape, device_x.data(), upstream,
                                  {nullptr, nullptr, device_on_g.data(), device_on_x.data(), device_constant.data()},
                                  to.data(), to_residual.data(), order, nullptr);
  };
  ASSERT_EQ(apply(RowOrder::kFirstToLast, dx, dresidual), cudaSuccess);
  ASSERT_EQ(apply(RowOrder::kLastToFirst, dx_of_last_first, dresidual_of_last_first), cudaSuccess);
  EXPECT_TRUE(SameBits(dx_of_last_first.ToHost(), dx.ToHost()));
  EXPECT_TRUE(SameBits(dresidual_of_last_first.ToHost(), dresidual.ToHost()));

  Values expected, bound, g_bound;
  for (size_t i = 0; i < size; ++i) {
    const size_t c = i % shape.channels;
    expected.push_back(on_g.values[c] * up.g[i] + on_x.values[c] * x.values[i] + constant.values[c]);
    const double magnitude =
        std::abs(on_g.values[c] * up.g[i]) + std::abs(on_x.values[c] * x.values[i]) + std::abs(constant.values[c]);
    bound.push_back(4 * kUnit * magnitude + RoundingOf<T>() * std::abs(expected[i]) * (1 + 1e-6));
    g_bound.push_back(RoundingOf<T>() * std::abs(up.g[i]));
  }
  ExpectWithin(ToFloats(dx.ToHost()), expected, bound, "dx");
  ExpectWithin(ToFloats(dresidual.ToHost()), up.g, g_bound, "dresidual");
}

class BatchNormGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
    workspace_ = std::make_unique<DeviceArray<uint8_t>>(std::vector<uint8_t>(kWorkspaceBytes));
  }

  // One workspace for all shapes; each launch finds it as the previous one left it.
  std::unique_ptr<DeviceArray<uint8_t>> workspace_;
};

TEST_F(BatchNormGpuTest, StatisticsEqualTheReferences) {
  for (const BatchNormShape& shape : Shapes()) {
    CheckStatistics<float>(shape, workspace_->data());
    CheckStatistics<__nv_bfloat16>(shape, workspace_->data());
  }
}

TEST_F(BatchNormGpuTest, ApplyEqualsTheReference) {
  for (const BatchNormShape& shape : Shapes()) {
    for (const Residual residual : {Residual::kNone, Residual::kIdentity, Residual::kScaled}) {
      for (const bool relu : {false, true}) {
        CheckApply<float>(shape, residual, relu);
        CheckApply<__nv_bfloat16>(shape, residual, relu);
      }
    }
  }
}

TEST_F(BatchNormGpuTest, BackwardReduceEqualsTheReference) {
  for (const BatchNormShape& shape : Shapes()) {
    for (const auto& [two, relu] : {std::pair(false, false), std::pair(false, true), std::pair(true, true)}) {
      CheckBackwardReduce<float>(shape, two, relu, workspace_->data());
      CheckBackwardReduce<__nv_bfloat16>(shape, two, relu, workspace_->data());
    }
  }
}

TEST_F(BatchNormGpuTest, BackwardApplyEqualsTheReference) {
  for (const BatchNormShape& shape : Shapes()) {
    for (const auto& [two, relu] : {std::pair(false, false), std::pair(false, true), std::pair(true, true)}) {
      CheckBackwardApply<float>(shape, two, relu);
      CheckBackwardApply<__nv_bfloat16>(shape, two, relu);
    }
  }
}

// More elements than a signed 32-bit integer can count: 32,768 images of 64 channels of 32x32, made of the same 256
// rows.
TEST_F(BatchNormGpuTest, TheLastRowsOfALargeBatchAreAsTheFirst) {
  const BatchNormShape shape = {32'768 * 1024, 64}, period = {256, 64};
  const size_t count = static_cast<size_t>(shape.rows) * shape.channels, few = size_t{period.rows} * period.channels;
  size_t free_bytes = 0, total_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  if (free_bytes < 3 * count * sizeof(__nv_bfloat16)) {
    GTEST_SKIP() << "needs " << 3 * count * sizeof(__nv_bfloat16) << " bytes of free device memory, found "
                 << free_bytes;
  }
  const Both<__nv_bfloat16> x(1, few, 0.5, 2);
  const Values ones(64, 1), zeros(64, 0);
  const auto expected = ReferenceStatistics(period, x.values, ones, zeros, zeros, ones, kMomentum, kEpsilon);
  DeviceArray<__nv_bfloat16> device_x(count), y(count);
  DeviceArray<uint8_t> mask(count / 8);
  ASSERT_EQ(cudaMemcpy(device_x.data(), x.host.data(), few * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice),
            cudaSuccess);
  for (size_t done = few; done < count; done *= 2) {
    ASSERT_EQ(
        cudaMemcpy(device_x.data() + done, device_x.data(), done * sizeof(__nv_bfloat16), cudaMemcpyDeviceToDevice),
        cudaSuccess);
  }
  DeviceArray<float> gamma(std::vector<float>(64, 1)), beta(std::vector<float>(64, 0)),
      running_mean(std::vector<float>(64, 0)), running_var(std::vector<float>(64, 1)), mean(64), inv_std(64), scale(64),
      shift(64);
  const BatchNormState state = {mean.data(), inv_std.data(), scale.data(), shift.data()};
  const BatchNormLaunch launch = PlanBatchNorm(shape, kMultiprocessors);
  ASSERT_EQ(BatchNormStatistics<__nv_bfloat16>(
                shape, launch, device_x.data(),
                {gamma.data(), beta.data(), running_mean.data(), running_var.data(), kMomentum, kEpsilon}, state,
                workspace_->data(), nullptr),
            cudaSuccess);
  ASSERT_EQ(BatchNormApply<__nv_bfloat16>(shape, device_x.data(), scale.data(), shift.data(), {}, y.data(), mask.data(),
                                          RowOrder::kLastToFirst, nullptr),
            cudaSuccess);
  // |x - 0| is at most 2.6 and its mean at least 0.5: the bound is the additions' error for 2.6, and as much again for
  // the variance.
  const double bound = 2 * 2.6 * 2.6 * (AdditionDepth(shape, launch) + 5) * kUnit;
  ExpectWithin(mean.ToHost(), expected.mean, Values(64, bound), "mean");
  ExpectWithin(inv_std.ToHost(), expected.inv_std, Values(64, bound), "inv_std");
  std::vector<__nv_bfloat16> first(few), last(few);
  std::vector<uint8_t> first_mask(few / 8), last_mask(few / 8);
  const auto fetch = [](auto& to, const auto* from) {
    ASSERT_EQ(cudaMemcpy(to.data(), from, to.size() * sizeof(to[0]), cudaMemcpyDeviceToHost), cudaSuccess);
  };
  fetch(first, y.data());
  fetch(last, y.data() + count - few);
  fetch(first_mask, mask.data());
  fetch(last_mask, mask.data() + (count - few) / 8);
  EXPECT_EQ(std::memcmp(first.data(), last.data(), few * sizeof(first[0])), 0);
  EXPECT_EQ(first_mask, last_mask);
}

TEST(BatchNormTest, RefusesShapesItCannotHandle) {
  const float* x = nullptr;
  float* y = nullptr;
  EXPECT_EQ(BatchNormApply<float>({100, 65}, x, x, x, {}, y, nullptr, RowOrder::kFirstToLast, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(BatchNormApply<float>({1, 64}, x, x, x, {}, y, nullptr, RowOrder::kFirstToLast, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(BatchNormApply<float>({100, 0}, x, x, x, {}, y, nullptr, RowOrder::kFirstToLast, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(BatchNormApply<float>({100, 4160}, x, x, x, {}, y, nullptr, RowOrder::kFirstToLast, nullptr),
            cudaErrorInvalidValue);
}

// Two blocks on each of 132 SMs if there are enough rows, divided among the channel blocks.
TEST(BatchNormTest, TheLaunchFillsTheGpuButNoMore) {
  EXPECT_EQ(PlanBatchNorm({524288, 64}, 132).row_blocks, 264u);
  EXPECT_EQ(PlanBatchNorm({8192, 512}, 132).row_blocks, 33u);
  EXPECT_EQ(PlanBatchNorm({8192, 512}, 132).channel_blocks, 8u);
  EXPECT_EQ(PlanBatchNorm({640, 64}, 132).row_blocks, 5u);  // 128 rows per block
  EXPECT_EQ(PlanBatchNorm({2, 64}, 132).row_blocks, 1u);
  EXPECT_EQ(PlanBatchNorm({50'000 * 1024, 64}, 132).row_blocks, 264u);  // the whole data set as one batch
}

// Hand-computed: x = 1, 3 in channel 0: mean 2, variance 1; gamma 2, beta 1, epsilon 0: y = -1, 3.
TEST(BatchNormTest, TheReferenceByHand) {
  const BatchNormShape shape = {2, 1};
  const auto statistics = ReferenceStatistics(shape, {1, 3}, {2}, {1}, {0}, {1}, 0.1, 0);
  EXPECT_EQ(statistics.mean, Values({2}));
  EXPECT_EQ(statistics.scale, Values({2}));
  EXPECT_EQ(statistics.shift, Values({-3}));
  EXPECT_DOUBLE_EQ(statistics.running_mean[0], 0.2);
  EXPECT_DOUBLE_EQ(statistics.running_var[0], 1.1);  // 0.9 * 1 + 0.1 * 2, unbiased
  EXPECT_EQ(ReferenceApply(shape, {1, 3}, statistics.scale, statistics.shift, {10, 20}, {}, {}), Values({9, 23}));
  // g = 1, 0: dbeta 1, dgamma = 1 * (1 - 2) = -1; dx = 2 * (g - 1/2 - xhat * -1/2): 2 * (1/2 - 1/2) = 0 for both.
  const auto reduced = ReferenceBackwardReduce(shape, {1, 3}, {1, 0}, {2}, {1}, {2});
  EXPECT_EQ(reduced.dbeta, Values({1}));
  EXPECT_EQ(reduced.dgamma, Values({-1}));
  EXPECT_DOUBLE_EQ(reduced.on_g[0] * 1 + reduced.on_x[0] * 1 + reduced.constant[0], 0);
  EXPECT_DOUBLE_EQ(reduced.on_g[0] * 0 + reduced.on_x[0] * 3 + reduced.constant[0], 0);
}

}  // namespace
}  // namespace lockstep
