#include "lib/cuda/overlapped_count_testing.h"

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CountOverlapped;
using ::lockstep::testing::CountsOverlap;
using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;

constexpr size_t kValues = 256;

// Each launch increments the result of the previous launch; two arrays alternate.
class OverlappedCountTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    for (auto& counts : counts_) {
      counts = std::make_unique<DeviceArray<uint32_t>>(std::vector<uint32_t>(kValues));
    }
  }
  void TearDown() override {
    if (stream_ != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    }
  }

  absl::Status Launch(int launches, bool waits) {
    for (int i = 0; i < launches; ++i) {
      RETURN_IF_ERROR(
          CudaStatus(CountOverlapped(counts_[i % 2]->data(), counts_[1 - i % 2]->data(), waits, stream_), "count"));
    }
    return absl::OkStatus();
  }

  // Returns the counts. After an even number of launches, the result is in the first array.
  std::vector<uint32_t> Counts() {
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return counts_[0]->ToHost();
  }

  cudaStream_t stream_ = nullptr;

 private:
  std::unique_ptr<DeviceArray<uint32_t>> counts_[2];
};

TEST_F(OverlappedCountTest, ALaunchSeesAllThatTheOneBeforeWrote) {
  ASSERT_TRUE(Launch(100, true).ok());
  EXPECT_EQ(Counts(), std::vector<uint32_t>(kValues, 100));
}

TEST_F(OverlappedCountTest, SoDoLaunchesOfAReplayedGraph) {
  const auto graph = CaptureGraph(stream_, [this] { return Launch(50, true); });
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (int replay = 0; replay < 20; ++replay) {
    ASSERT_EQ(cudaGraphLaunch(graph->get(), stream_), cudaSuccess);
  }
  EXPECT_EQ(Counts(), std::vector<uint32_t>(kValues, 1000));
}

// Control for the two tests above: launches do begin early, and only the wait keeps them correct. compute-sanitizer,
// which serializes launches, makes this test fail.
TEST_F(OverlappedCountTest, WithoutTheWaitALaunchComesTooEarly) {
  if (!CountsOverlap()) {
    GTEST_SKIP() << "launches begin early from compute capability 9.0 on";
  }
  ASSERT_TRUE(Launch(100, false).ok());
  EXPECT_LT(Counts().front(), 100u);
}

}  // namespace
}  // namespace lockstep
