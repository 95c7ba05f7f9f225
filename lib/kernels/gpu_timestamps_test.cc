#include "lib/kernels/gpu_timestamps.h"

#include <chrono>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/step_state.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;

constexpr uint64_t kUnwritten = ~uint64_t{0};  // initial value in DeviceArray

#define SKIP_WITHOUT_GPU() \
  if (!HaveGpu()) GTEST_SKIP() << "no CUDA device"

TEST(GpuTimestampsTest, AColumnThatThereIsNotIsRefused) {
  EXPECT_EQ(RecordTimestamp(nullptr, 2, {nullptr, 1, 2}, nullptr), cudaErrorInvalidValue);
}

TEST(GpuTimestampsTest, WritesToTheRowOfItsStepAlone) {
  SKIP_WITHOUT_GPU();
  DeviceArray<uint64_t> timestamps(6);
  for (const uint32_t step : {1u, 3u}) {  // steps of a table with three rows; the second has no row
    DeviceArray<uint32_t> row(std::vector<uint32_t>{step});
    ASSERT_EQ(RecordTimestamp(row.data(), 1, {timestamps.data(), 3, 2}, nullptr), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  const std::vector<uint64_t> found = timestamps.ToHost();
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i] != kUnwritten, i == 3) << i;
  }
}

// Compares with the host's clock: the host sleeps for 50 ms between the two timestamps.
TEST(GpuTimestampsTest, CountsNanoseconds) {
  SKIP_WITHOUT_GPU();
  DeviceArray<uint64_t> timestamps(2);
  DeviceArray<uint32_t> row(std::vector<uint32_t>{0});
  const auto record = [&](uint32_t index) {
    ASSERT_EQ(RecordTimestamp(row.data(), index, {timestamps.data(), 1, 2}, nullptr), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  };
  const auto before = std::chrono::steady_clock::now();
  record(0);
  const auto inside = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto late = std::chrono::steady_clock::now();
  record(1);
  const auto after = std::chrono::steady_clock::now();
  const std::vector<uint64_t> found = timestamps.ToHost();
  const auto nanoseconds = [](auto duration) { return std::chrono::duration<double, std::nano>(duration).count(); };
  // A timestamp is taken at some time during its call. Two oscillators agree to better than a thousandth.
  EXPECT_GE(static_cast<double>(found[1] - found[0]), nanoseconds(late - inside) * 0.999);
  EXPECT_LE(static_cast<double>(found[1] - found[0]), nanoseconds(after - before) * 1.001);
}

// Replays a graph of two timestamps and the end of the step: each replay must fill its own row, and the clock must not
// decrease.
TEST(GpuTimestampsTest, ReplaysFillRowAfterRow) {
  SKIP_WITHOUT_GPU();
  constexpr uint32_t kSteps = 5;
  DeviceArray<uint64_t> timestamps(2 * kSteps);
  DeviceArray<StepState> state(std::vector<StepState>{StepState()});
  const uint32_t* const row = &state.data()->batch_step;
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  auto graph = CaptureGraph(stream, [&]() -> absl::Status {
    const bool launched = RecordTimestamp(row, 0, {timestamps.data(), kSteps, 2}, stream) == cudaSuccess &&
                          RecordTimestamp(row, 1, {timestamps.data(), kSteps, 2}, stream) == cudaSuccess &&
                          AdvanceBatch(1, state.data(), stream) == cudaSuccess;
    return launched ? absl::OkStatus() : absl::InternalError("a launch failed");
  });
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (uint32_t step = 0; step < kSteps; ++step) {
    ASSERT_EQ(cudaGraphLaunch(graph->get(), stream), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const std::vector<uint64_t> found = timestamps.ToHost();
  EXPECT_NE(found.back(), kUnwritten);
  for (size_t i = 1; i < found.size(); ++i) {
    EXPECT_GE(found[i], found[i - 1]) << i;
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace lockstep
