#include "lib/kernels/sent_gradients.h"

#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;
using Bf16 = __nv_bfloat16;

constexpr uint32_t kMicroBatches = 3;
constexpr float kShares[kMicroBatches] = {0.4f, 0.35f, 0.25f};

// Runs the kernel on device copies of host arrays and the reference on the host arrays, and compares the results.
template <typename G, typename W>
void ExpectSameBits(size_t count, uint32_t micro_batches, uint32_t max_blocks) {
  std::vector<float> sum(count);
  std::vector<W> send_buffer(count);
  DeviceArray<float> on_sum(sum);
  DeviceArray<W> on_send_buffer(send_buffer);
  for (uint32_t m = 0; m < micro_batches; ++m) {
    const std::vector<G> gradient = RandomValues<G>(m, count);
    DeviceArray<G> on_gradient(gradient);
    SentGradientsInput<G, W> input;
    input.count = count;
    input.share = micro_batches == 1 ? 1 : kShares[m];
    input.first = m == 0;
    input.last = m + 1 == micro_batches;
    SentGradientsInput<G, W> on_device = input;
    input.gradient = gradient.data();
    input.sum = sum.data();
    input.send_buffer = send_buffer.data();
    on_device.gradient = on_gradient.data();
    on_device.sum = on_sum.data();
    on_device.send_buffer = on_send_buffer.data();
    ASSERT_EQ(ComputeSentGradients(on_device, nullptr, max_blocks), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ComputeSentGradientsReference(input);
  }
  EXPECT_EQ(std::memcmp(on_sum.ToHost().data(), sum.data(), count * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(on_send_buffer.ToHost().data(), send_buffer.data(), count * sizeof(W)), 0);
}

TEST(SentGradientsTest, EqualsTheReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const size_t count : {1, 1000, 3'000'000}) {
    for (const uint32_t micro_batches : {1u, kMicroBatches}) {
      for (const uint32_t max_blocks : {0, 5}) {
        ExpectSameBits<float, float>(count, micro_batches, max_blocks);
        ExpectSameBits<float, Bf16>(count, micro_batches, max_blocks);
        ExpectSameBits<Bf16, float>(count, micro_batches, max_blocks);
        ExpectSameBits<Bf16, Bf16>(count, micro_batches, max_blocks);
      }
    }
  }
}

TEST(SentGradientsTest, NothingToSendLaunchesNothing) {
  EXPECT_EQ((ComputeSentGradients<float, float>({}, nullptr)), cudaSuccess);
}

// Two micro-batches, 1 and 2^-7, with a share of 1/2 each: the sum is 0.5 + 2^-8.
TEST(SentGradientsReferenceTest, RoundsOnceAtTheEnd) {
  const Bf16 ones(1.0f), little(0x1p-7f);
  float sum = 0;
  Bf16 send_buffer;
  SentGradientsInput<Bf16, Bf16> input;
  input.count = 1;
  input.share = 0.5f;
  input.sum = &sum;
  input.send_buffer = &send_buffer;
  input.gradient = &ones;
  input.last = false;
  ComputeSentGradientsReference(input);
  EXPECT_EQ(sum, 0.5f);
  input.gradient = &little;
  input.first = false;
  input.last = true;
  ComputeSentGradientsReference(input);
  EXPECT_EQ(static_cast<float>(send_buffer), 0.5f + 0x1p-8f);
}

// In place, as in the fused step with one micro-batch.
TEST(SentGradientsReferenceTest, MayWriteWhereItReads) {
  std::vector<Bf16> gradient = {Bf16(1.0f), Bf16(-2.0f)};
  SentGradientsInput<Bf16, Bf16> input;
  input.count = gradient.size();
  input.share = 0.5f;
  input.gradient = gradient.data();
  input.send_buffer = gradient.data();
  ComputeSentGradientsReference(input);
  EXPECT_EQ(static_cast<float>(gradient[0]), 0.5f);
  EXPECT_EQ(static_cast<float>(gradient[1]), -1.0f);
}

}  // namespace
}  // namespace lockstep
