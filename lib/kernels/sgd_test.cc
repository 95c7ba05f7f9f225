#include "lib/kernels/sgd.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/counter_random.h"
#include "lib/kernels/rank_sum.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::SameBits;

std::vector<float> RandomFloats(uint64_t seed, size_t count) {
  CounterRandom random(seed, RandomPurpose::kSyntheticImage, 1, 2);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(random.Below(1u << 24)) / (1 << 23) - 1;
  }
  return values;
}

// Runs three steps, because the velocity of the first step is special.
template <typename G>
void ExpectKernelEqualsReference(size_t count, bool with_copy, uint32_t max_blocks = 0, bool nesterov = false) {
  std::vector<float> parameter = RandomFloats(1, count), velocity(count);
  std::vector<__nv_bfloat16> copy(count);
  std::vector<G> gradient;
  for (const float value : RandomFloats(2, count)) {
    gradient.push_back(G(value));
  }
  float rate = 0.1f;
  DeviceArray<float> device_parameter(parameter), device_velocity(velocity), device_rate(std::vector<float>{rate});
  DeviceArray<G> device_gradient(gradient);
  DeviceArray<__nv_bfloat16> device_copy(copy);
  SgdInput<G> host = {count, gradient.data(), &rate, 0.9f, 5e-4f, parameter.data(), velocity.data(), copy.data()};
  SgdInput<G> device = {
      count, device_gradient.data(),  device_rate.data(),     0.9f,
      5e-4f, device_parameter.data(), device_velocity.data(), with_copy ? device_copy.data() : nullptr};
  host.nesterov = device.nesterov = nesterov;
  for (int step = 0; step < 3; ++step) {
    SgdStepReference(host);
    ASSERT_EQ(SgdStep(device, nullptr, max_blocks), cudaSuccess);
  }
  EXPECT_TRUE(SameBits(device_parameter.ToHost(), parameter)) << count;
  EXPECT_TRUE(SameBits(device_velocity.ToHost(), velocity)) << count;
  EXPECT_EQ(SameBits(device_copy.ToHost(), copy), with_copy) << count;
}

// More than one grid of blocks at 4 elements per thread: 132 * 8 * 4 * 256 * 4 = 4,325,376 elements.
TEST(SgdTest, KernelEqualsReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const size_t count : {size_t{1}, size_t{3}, size_t{4}, size_t{1023}, size_t{1030}, size_t{5'000'002}}) {
    ExpectKernelEqualsReference<float>(count, true);
    ExpectKernelEqualsReference<float>(count, false);
    ExpectKernelEqualsReference<__nv_bfloat16>(count, true);
    ExpectKernelEqualsReference<__nv_bfloat16>(count, true, 3);
    ExpectKernelEqualsReference<__nv_bfloat16>(count, true, 0, /*nesterov=*/true);
  }
}

// Compares the gradients of several ranks with their sum computed beforehand.
template <typename G>
void ExpectRanksEqualTheirSum(size_t count, uint32_t ranks, uint32_t max_blocks) {
  std::vector<std::vector<G>> of_rank;
  std::vector<std::unique_ptr<DeviceArray<G>>> on_device;
  std::vector<float> parameter = RandomFloats(1, count), velocity = RandomFloats(3, count);
  std::vector<__nv_bfloat16> copy(count);
  float rate = 0.1f;
  DeviceArray<float> device_parameter(parameter), device_velocity(velocity), device_rate(std::vector<float>{rate});
  DeviceArray<__nv_bfloat16> device_copy(copy);
  SgdInput<G> host = {count, nullptr, &rate, 0.9f, 5e-4f, parameter.data(), velocity.data(), copy.data()};
  host.gradient_scale = 1.0f / static_cast<float>(ranks);
  SgdInput<G> device = host;
  RankSumInput<G> sum;
  sum.count = count;
  sum.ranks = device.ranks = ranks;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    of_rank.push_back(RandomValues<G>(10 + rank, count));
    on_device.push_back(std::make_unique<DeviceArray<G>>(of_rank.back()));
    device.of_rank[rank] = on_device.back()->data();
  }
  std::vector<G> gradient(count);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    sum.from[rank] = of_rank[rank].data();
  }
  sum.to = gradient.data();
  RankSumReference(sum);
  host.gradient = gradient.data();
  device.learning_rate = device_rate.data();
  device.parameter = device_parameter.data();
  device.velocity = device_velocity.data();
  device.bf16_copy = device_copy.data();
  std::vector<std::unique_ptr<DeviceArray<__nv_bfloat16>>> others;
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    others.push_back(std::make_unique<DeviceArray<__nv_bfloat16>>(std::vector<__nv_bfloat16>(count)));
    device.other_copy[device.other_copies++] = others.back()->data();
  }
  SgdStepReference(host);
  ASSERT_EQ(SgdStep(device, nullptr, max_blocks), cudaSuccess);
  EXPECT_TRUE(SameBits(device_parameter.ToHost(), parameter)) << count << " " << ranks;
  EXPECT_TRUE(SameBits(device_velocity.ToHost(), velocity)) << count << " " << ranks;
  EXPECT_TRUE(SameBits(device_copy.ToHost(), copy)) << count << " " << ranks;
  for (const auto& other : others) {
    EXPECT_TRUE(SameBits(other->ToHost(), copy)) << count << " " << ranks;
  }
}

TEST(SgdTest, GradientsOfRanksAreAddedUpOnTheWay) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const size_t count : {size_t{3}, size_t{1030}, size_t{5'000'002}}) {
    for (const uint32_t ranks : {1, 2, 3, 8}) {
      ExpectRanksEqualTheirSum<float>(count, ranks, 0);
      ExpectRanksEqualTheirSum<__nv_bfloat16>(count, ranks, 0);
      ExpectRanksEqualTheirSum<__nv_bfloat16>(count, ranks, 3);
    }
  }
}

// The reference adds like RankSum: 1 and three times 2^-8 in bf16, which would stay 1 if each sum were rounded.
TEST(SgdTest, RanksByHand) {
  const __nv_bfloat16 one(1.0f), small(0x1p-8f);
  float rate = 1, parameter = 0, velocity = 0;
  SgdInput<__nv_bfloat16> input = {1, nullptr, &rate, 0, 0, &parameter, &velocity, nullptr};
  input.ranks = 4;
  input.of_rank[0] = &one;
  input.of_rank[1] = input.of_rank[2] = input.of_rank[3] = &small;
  SgdStepReference(input);
  EXPECT_EQ(parameter, -1 - 0x1p-6f);
}

// velocity = 0.5 * 8 + (2 + 0.25 * 4) = 7; parameter = 4 - 0.125 * 7 = 3.125, all exact in binary.
TEST(SgdTest, TheReferenceByHand) {
  float gradient = 2, rate = 0.125f, parameter = 4, velocity = 8;
  __nv_bfloat16 copy;
  SgdStepReference<float>({1, &gradient, &rate, 0.5f, 0.25f, &parameter, &velocity, &copy});
  EXPECT_EQ(velocity, 7.0f);
  EXPECT_EQ(parameter, 3.125f);
  EXPECT_EQ(static_cast<float>(copy), 3.125f);
}

// velocity = 0.5 * 8 + (2 + 0.25 * 4) = 7; parameter = 4 - 0.125 * (3 + 0.5 * 7).
TEST(SgdTest, NesterovByHand) {
  float gradient = 2, rate = 0.125f, parameter = 4, velocity = 8;
  SgdInput<float> input = {1, &gradient, &rate, 0.5f, 0.25f, &parameter, &velocity};
  input.nesterov = true;
  SgdStepReference(input);
  EXPECT_EQ(velocity, 7.0f);
  EXPECT_EQ(parameter, 3.1875f);
}

// Shares 1/4 and 3/4 of gradients 4 and 8: 1 + 6. velocity = 0.5 * 8 + (1 + 0.25 * 4) = 6, then 12;
// parameter = 4 - 0.125 * 12.
TEST(SgdTest, MicroBatchesByHand) {
  float gradient = 4, rate = 0.125f, parameter = 4, velocity = 8;
  __nv_bfloat16 copy(-1.0f);
  SgdInput<float> input = {1, &gradient, &rate, 0.5f, 0.25f, &parameter, &velocity, &copy, 0.25f, true, false};
  SgdStepReference(input);
  EXPECT_EQ(velocity, 6.0f);
  EXPECT_EQ(parameter, 4.0f);
  EXPECT_EQ(static_cast<float>(copy), -1.0f);
  gradient = 8;
  input.gradient_scale = 0.75f;
  input.first = false;
  input.last = true;
  SgdStepReference(input);
  EXPECT_EQ(velocity, 12.0f);
  EXPECT_EQ(parameter, 2.5f);
  EXPECT_EQ(static_cast<float>(copy), 2.5f);
}

// Runs two steps of three micro-batches each.
template <typename G>
void ExpectMicroBatchesEqualReference(size_t count, uint32_t max_blocks = 0) {
  std::vector<float> parameter = RandomFloats(1, count), velocity(count);
  std::vector<__nv_bfloat16> copy(count);
  float rate = 0.1f;
  DeviceArray<float> device_parameter(parameter), device_velocity(velocity), device_rate(std::vector<float>{rate});
  DeviceArray<__nv_bfloat16> device_copy(copy);
  for (int part = 0; part < 6; ++part) {
    std::vector<G> gradient;
    for (const float value : RandomFloats(2 + part, count)) {
      gradient.push_back(G(value));
    }
    DeviceArray<G> device_gradient(gradient);
    SgdInput<G> host = {count, gradient.data(), &rate, 0.9f, 5e-4f, parameter.data(), velocity.data(), copy.data()};
    host.gradient_scale = part % 3 == 2 ? 0.2f : 0.4f;
    host.first = part % 3 == 0;
    host.last = part % 3 == 2;
    SgdInput<G> device = host;
    device.gradient = device_gradient.data();
    device.learning_rate = device_rate.data();
    device.parameter = device_parameter.data();
    device.velocity = device_velocity.data();
    device.bf16_copy = device_copy.data();
    SgdStepReference(host);
    ASSERT_EQ(SgdStep(device, nullptr, max_blocks), cudaSuccess);
    EXPECT_TRUE(SameBits(device_parameter.ToHost(), parameter)) << count << " " << part;
    EXPECT_TRUE(SameBits(device_velocity.ToHost(), velocity)) << count << " " << part;
    EXPECT_TRUE(SameBits(device_copy.ToHost(), copy)) << count << " " << part;
  }
}

TEST(SgdTest, MicroBatchesEqualReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const size_t count : {size_t{3}, size_t{1030}, size_t{5'000'002}}) {
    ExpectMicroBatchesEqualReference<float>(count);
    ExpectMicroBatchesEqualReference<__nv_bfloat16>(count);
    ExpectMicroBatchesEqualReference<__nv_bfloat16>(count, 3);
  }
}

// Factors replace the scale and the weight decay: velocity = 0.5 * 8 + (2 * 4 + 0.125 * 4) = 12.5.
TEST(SgdTest, FactorsByHand) {
  float gradient = 4, rate = 0.125f, parameter = 4, velocity = 8;
  const float factors[2] = {2, 0.125f};
  SgdInput<float> input = {1,         &gradient, &rate, 0.5f, 0.25f, &parameter,
                           &velocity, nullptr,   0.25f, true, true,  factors};
  SgdStepReference(input);
  EXPECT_EQ(velocity, 12.5f);
  EXPECT_EQ(parameter, 4 - 0.125f * 12.5f);
}

template <typename G>
void ExpectFactorsEqualReference(size_t count) {
  std::vector<float> parameter = RandomFloats(1, count), velocity = RandomFloats(3, count);
  std::vector<__nv_bfloat16> copy(count);
  std::vector<G> gradient;
  for (const float value : RandomFloats(2, count)) {
    gradient.push_back(G(value));
  }
  float rate = 0.1f;
  const std::vector<float> factors = {0.3f, 7e-5f};
  DeviceArray<float> device_parameter(parameter), device_velocity(velocity), device_rate(std::vector<float>{rate});
  DeviceArray<float> device_factors(factors);
  DeviceArray<G> device_gradient(gradient);
  DeviceArray<__nv_bfloat16> device_copy(copy);
  SgdStepReference(SgdInput<G>{count, gradient.data(), &rate, 0.9f, 5e-4f, parameter.data(), velocity.data(),
                               copy.data(), 1, true, true, factors.data()});
  ASSERT_EQ(SgdStep(SgdInput<G>{count, device_gradient.data(), device_rate.data(), 0.9f, 5e-4f, device_parameter.data(),
                                device_velocity.data(), device_copy.data(), 1, true, true, device_factors.data()},
                    nullptr),
            cudaSuccess);
  EXPECT_TRUE(SameBits(device_parameter.ToHost(), parameter)) << count;
  EXPECT_TRUE(SameBits(device_velocity.ToHost(), velocity)) << count;
  EXPECT_TRUE(SameBits(device_copy.ToHost(), copy)) << count;
}

TEST(SgdTest, FactorsEqualReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const size_t count : {size_t{3}, size_t{1030}, size_t{5'000'002}}) {
    ExpectFactorsEqualReference<float>(count);
    ExpectFactorsEqualReference<__nv_bfloat16>(count);
  }
}

TEST(SgdTest, OtherCopiesByHand) {
  float rate = 0.5f, parameter[] = {1, 2}, velocity[] = {0, 0}, gradient[] = {2, 4};
  __nv_bfloat16 copy[2], first[2], second[2];
  SgdInput<float> input = {2, gradient, &rate, 0, 0, parameter, velocity, copy};
  input.other_copies = 2;
  input.other_copy[0] = first;
  input.other_copy[1] = second;
  SgdStepReference(input);
  for (const __nv_bfloat16* const each : {copy, first, second}) {
    EXPECT_EQ(static_cast<float>(each[0]), 0);
    EXPECT_EQ(static_cast<float>(each[1]), 0);
  }
  input.last = false;  // not the last micro-batch of the step
  first[0] = __nv_bfloat16(7.0f);
  SgdStepReference(input);
  EXPECT_EQ(static_cast<float>(first[0]), 7);
}

TEST(SgdTest, NothingToDoIsNoError) { EXPECT_EQ(SgdStep<float>({}, nullptr), cudaSuccess); }

}  // namespace
}  // namespace lockstep
