#include "lib/cuda/wait_limit.h"

#include <cuda_bf16.h>

#include <chrono>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/stall_watch.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/hold_multiprocessors_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::HoldMultiprocessors;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Bf16 = __nv_bfloat16;

// Minimum waiting time. The limit is between two and three turns of 2^32 ns.
constexpr double kMinSeconds = 8.5;
// Maximum time of a launch that does not wait, and maximum addition of a late start to the limit.
constexpr double kMaxSeconds = 5;

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double SecondsToEnd(cudaStream_t stream) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  return SecondsSince(begin);
}

// A launch of 64 blocks that applies a batch norm, and all its buffers.
class Applying {
 public:
  absl::Status Launch(cudaStream_t stream) {
    const BatchNormParameters parameters = {
        of_channels_.data(), of_channels_.data(), of_channels_.data(), of_channels_.data(), 0.1f, 1e-5f};
    const BatchNormState state = {state_.data(), state_.data(), state_.data(), state_.data()};
    return ConvolutionBatchNorm(kShape, kConfig, HopperMultiprocessors())
        .ForwardAndApply(x_.data(), w_.data(), raw_.data(), parameters, state, {}, y_.data(), mask_.data(),
                         lamport_buffer_.data(), stream);
  }
  static absl::StatusOr<bool> MayWait() {
    return ConvolutionBatchNormMayWait(kShape, ConvolutionPass::kForward, kConfig, HopperMultiprocessors());
  }

 private:
  static constexpr ConvolutionShape kShape = {8, 64, 32, 64, 3, 1};
  static constexpr ConvolutionBatchNormConfig kConfig = {128, 1};
  static constexpr size_t kCount = 8 * 32 * 32 * 64;

  DeviceArray<Bf16> x_{std::vector<Bf16>(kCount, Bf16(1.0f))}, w_{std::vector<Bf16>(64 * 9 * 64, Bf16(1.0f))};
  DeviceArray<Bf16> raw_{kCount}, y_{kCount};
  DeviceArray<float> of_channels_{std::vector<float>(64, 1.0f)}, state_{std::vector<float>(64, 0.0f)};
  DeviceArray<uint8_t> mask_{kCount / 8};
  DeviceArray<char> lamport_buffer_{std::vector<char>(ConvolutionBatchNormLamportBytes(), 0)};
};

// A single test, because a wait past the limit affects the rest of the process.
TEST(WaitLimitTest, ALaunchWhoseBlocksDoNotAllRunEndsAndIsNamed) {
  if (!HaveGpu() || HopperMultiprocessors() < 64) {
    GTEST_SKIP() << "needs a GPU of compute capability 9.0 with 64 multiprocessors";
  }
  cudaStream_t holder = nullptr, stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&holder, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  uint32_t* release = nullptr;
  ASSERT_EQ(cudaHostAlloc(&release, sizeof(*release), cudaHostAllocMapped), cudaSuccess);
  *release = 0;
  Applying applying;
  ASSERT_EQ(Applying::MayWait().value_or(false), BlocksMayWaitForEachOther());

  ASSERT_EQ(applying.Launch(stream), absl::OkStatus());
  EXPECT_LT(SecondsToEnd(stream), kMaxSeconds);
  ASSERT_EQ(CheckWaits(), absl::OkStatus());

  // At most a quarter of its blocks can be resident.
  ASSERT_EQ(HoldMultiprocessors(HopperMultiprocessors() - 16, release, holder), cudaSuccess);
  ASSERT_EQ(applying.Launch(stream), absl::OkStatus());
  const double waited = SecondsToEnd(stream);
  EXPECT_GT(waited, kMinSeconds - 1);
  EXPECT_LT(waited, 3 * 4.3 + kMaxSeconds);
  const absl::Status status = CheckWaits();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("64"), HasSubstr("that applies its batch norm")));
  EXPECT_FALSE(BlocksMayWaitForEachOther());
  EXPECT_FALSE(Applying::MayWait().value_or(true));

  // Later launches, as in a graph of many such launches, do not wait again.
  ASSERT_EQ(applying.Launch(stream), absl::OkStatus());
  EXPECT_LT(SecondsToEnd(stream), kMaxSeconds);

  *release = 1;
  ASSERT_EQ(cudaStreamSynchronize(holder), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(release), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(holder), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// A kernel that never ends blocks the thread that waits for it; the watchdog thread reports it.
TEST(StallWatchTest, AKernelThatDoesNotEndIsFound) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "needs a GPU";
  }
  uint32_t* release = nullptr;
  ASSERT_EQ(cudaHostAlloc(&release, sizeof(*release), cudaHostAllocMapped), cudaSuccess);
  *release = 0;
  absl::Status reported;
  {
    StallWatch watch(absl::Seconds(1), [&](const absl::Status& status) {
      reported = status;
      *static_cast<volatile uint32_t*>(release) = 1;
    });
    ASSERT_TRUE(watch.Start().ok());
    watch.Enter("waiting for a kernel");
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(HoldMultiprocessors(1, release, nullptr), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    const double waited = SecondsSince(begin);
    EXPECT_GE(waited, 0.9);
    EXPECT_LT(waited, 20);  // the kernel itself ends after half a minute
  }
  EXPECT_EQ(reported.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(reported.message()), HasSubstr("waiting for a kernel: no progress for 1s"));
  ASSERT_EQ(cudaFreeHost(release), cudaSuccess);
}

}  // namespace
}  // namespace lockstep
