#include "lib/kernels/launch_blocks.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/sgd.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;

constexpr size_t kCount = 100'000;

class LaunchBlocksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    parameter_ = std::make_unique<DeviceArray<float>>(std::vector<float>(kCount, 1.0f));
    velocity_ = std::make_unique<DeviceArray<float>>(std::vector<float>(kCount));
    gradient_ = std::make_unique<DeviceArray<float>>(std::vector<float>(kCount, 1.0f));
    rate_ = std::make_unique<DeviceArray<float>>(std::vector<float>{0.1f});
  }

  void TearDown() override {
    if (stream_ != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    }
  }

  absl::Status Sgd(uint32_t blocks) {
    const SgdInput<float> input = {kCount, gradient_->data(),  rate_->data(),    0.9f,
                                   5e-4f,  parameter_->data(), velocity_->data()};
    return CudaStatus(SgdStep(input, stream_, blocks), "SGD");
  }

  cudaStream_t stream_ = nullptr;
  std::unique_ptr<DeviceArray<float>> parameter_, velocity_, gradient_, rate_;
};

TEST_F(LaunchBlocksTest, TheLargestKernelCountsAndNothingRuns) {
  const auto blocks = MaxBlocks(stream_, [&]() -> absl::Status {
    EXPECT_EQ(cudaMemsetAsync(velocity_->data(), 1, kCount * sizeof(float), stream_), cudaSuccess);
    for (const uint32_t max_blocks : {2, 5, 3}) {
      EXPECT_TRUE(Sgd(max_blocks).ok());
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  EXPECT_EQ(*blocks, 5);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(velocity_->ToHost(), std::vector<float>(kCount));
  EXPECT_EQ(parameter_->ToHost(), std::vector<float>(kCount, 1.0f));
}

TEST_F(LaunchBlocksTest, WithoutAKernelThereAreNone) {
  const auto blocks = MaxBlocks(stream_, [&] {
    return CudaStatus(cudaMemsetAsync(velocity_->data(), 1, kCount * sizeof(float), stream_), "setting");
  });
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  EXPECT_EQ(*blocks, 0);
}

TEST_F(LaunchBlocksTest, AnErrorOfTheLaunchEndsTheCapture) {
  EXPECT_EQ(MaxBlocks(stream_, [] { return absl::AbortedError("no"); }).status(), absl::AbortedError("no"));
  EXPECT_TRUE(Sgd(1).ok());
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
}

}  // namespace
}  // namespace lockstep
