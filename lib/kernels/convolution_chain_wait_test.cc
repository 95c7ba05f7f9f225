// A chain whose blocks do not all run must end at the limit of wait_limit.h. A program of its own, because a wait past
// the limit affects the rest of the process.
#include <cuda_bf16.h>

#include <chrono>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/cuda/wait_limit.h"
#include "lib/kernels/convolution_chain.h"
#include "lib/kernels/hold_multiprocessors_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::HoldMultiprocessors;
using ::testing::HasSubstr;
using Bf16 = __nv_bfloat16;

constexpr ConvolutionShape kShape = {8, 64, 32, 64, 3, 1};  // 64 blocks
constexpr ConvolutionBatchNormConfig kConfig = {128, 1};
constexpr uint32_t kLayers = 4;
constexpr size_t kCount = 8 * 32 * 32 * 64;
// Minimum and maximum waiting time: the limit is between two and three turns of 2^32 ns, and only the first wait of a
// chain may last that long. The maximum leaves 5 s for a late start.
constexpr double kMinSeconds = 7.5, kMaxSeconds = 3 * 4.3 + 5;
constexpr double kMaxSecondsWithoutWait = 5;

class Chain {
 public:
  absl::Status Launch(cudaStream_t stream) {
    float* const of = of_channels_.data();
    std::vector<ConvolutionChain::Layer> layers(kLayers);
    for (uint32_t l = 0; l < kLayers; ++l) {
      layers[l].w = w_.data();
      layers[l].raw = raw_.data() + l * kCount;
      layers[l].parameters = {of, of, of, of, 0.1f, 1e-5f};
      layers[l].state = {state_.data(), state_.data(), state_.data(), state_.data()};
      layers[l].y = y_.data() + l * kCount;
      layers[l].relu_mask = mask_.data();
    }
    return ConvolutionChain(ConvolutionBatchNorm(kShape, kConfig, HopperMultiprocessors()))
        .Run(x_.data(), layers, lamport_buffer_.data(), stream);
  }

 private:
  DeviceArray<Bf16> x_{std::vector<Bf16>(kCount, Bf16(1.0f))}, w_{std::vector<Bf16>(64 * 9 * 64, Bf16(1.0f))};
  DeviceArray<Bf16> raw_{kLayers * kCount}, y_{kLayers * kCount};
  DeviceArray<float> of_channels_{std::vector<float>(64, 1.0f)}, state_{std::vector<float>(64, 0.0f)};
  DeviceArray<uint8_t> mask_{kCount / 8};
  DeviceArray<char> lamport_buffer_{std::vector<char>(ConvolutionBatchNormLamportBytes(), 0)};
};

double SecondsToEnd(cudaStream_t stream) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(ConvolutionChainWaitTest, AChainWhoseBlocksDoNotAllRunEndsAndIsNamed) {
  if (!HaveGpu() || HopperMultiprocessors() < 64) {
    GTEST_SKIP() << "needs a GPU of compute capability 9.0 with 64 multiprocessors";
  }
  cudaStream_t holder = nullptr, stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&holder, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  uint32_t* release = nullptr;
  ASSERT_EQ(cudaHostAlloc(&release, sizeof(*release), cudaHostAllocMapped), cudaSuccess);
  *release = 0;
  Chain chain;
  ASSERT_EQ(chain.Launch(stream), absl::OkStatus());
  EXPECT_LT(SecondsToEnd(stream), kMaxSecondsWithoutWait);
  ASSERT_EQ(CheckWaits(), absl::OkStatus());

  // At most a quarter of its blocks can be resident.
  ASSERT_EQ(HoldMultiprocessors(HopperMultiprocessors() - 16, release, holder), cudaSuccess);
  ASSERT_EQ(chain.Launch(stream), absl::OkStatus());
  const double waited = SecondsToEnd(stream);
  EXPECT_GT(waited, kMinSeconds);
  EXPECT_LT(waited, kMaxSeconds);
  const absl::Status status = CheckWaits();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("that applies its batch norm"));
  EXPECT_FALSE(ConvolutionChainMayWait(kShape, kConfig, HopperMultiprocessors()).value_or(true));

  // Later chains do not wait again, and end.
  ASSERT_EQ(chain.Launch(stream), absl::OkStatus());
  EXPECT_LT(SecondsToEnd(stream), kMaxSecondsWithoutWait);

  *release = 1;
  ASSERT_EQ(cudaStreamSynchronize(holder), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(release), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(holder), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace lockstep
