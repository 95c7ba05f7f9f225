#include "lib/kernels/step_state.h"

#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/device_array_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;

const std::vector<float> kRates = {0.1f, 0.2f, 0.05f};

#define SKIP_WITHOUT_GPU() \
  if (!HaveGpu()) GTEST_SKIP() << "no CUDA device"

void ExpectState(const StepState& found, const StepState& expected) {
  EXPECT_EQ(found.first, expected.first);
  EXPECT_EQ(found.batch_step, expected.batch_step);
  EXPECT_EQ(found.update_step, expected.update_step);
  EXPECT_EQ(found.learning_rate, expected.learning_rate);
}

// Batches of 32: three steps, and a fourth after the last rate.
TEST(StepStateTest, TheReferenceByHand) {
  StepState state = {0, 0, 0, kRates[0]};
  const float rates[] = {0.2f, 0.05f, 0.05f, 0.05f};
  for (uint32_t step = 1; step <= 4; ++step) {
    AdvanceBatchReference(32, &state);
    ExpectState(state, {32 * step, step, step - 1, step == 1 ? kRates[0] : rates[step - 2]});
    AdvanceUpdateReference(kRates.data(), 3, &state);
    ExpectState(state, {32 * step, step, step, rates[step - 1]});
  }
}

TEST(StepStateTest, AMicroBatchMovesWithinItsStep) {
  StepState state = {32, 1, 1, 0.2f};
  AdvanceMicroBatchReference(8, &state);
  ExpectState(state, {40, 1, 1, 0.2f});
}

TEST(StepStateTest, KernelsEqualReferencesStepByStep) {
  SKIP_WITHOUT_GPU();
  DeviceArray<float> rates(kRates);
  for (const uint32_t steps : {1u, 2u, 3u}) {
    StepState expected = {7, 0, 0, kRates[0]};
    DeviceArray<StepState> state(std::vector<StepState>{expected});
    for (int i = 0; i < 5; ++i) {
      AdvanceMicroBatchReference(100, &expected);
      ASSERT_EQ(AdvanceMicroBatch(100, state.data(), nullptr), cudaSuccess);
      ExpectState(state.ToHost()[0], expected);
      AdvanceBatchReference(412, &expected);
      ASSERT_EQ(AdvanceBatch(412, state.data(), nullptr), cudaSuccess);
      ExpectState(state.ToHost()[0], expected);
      AdvanceUpdateReference(kRates.data(), steps, &expected);
      ASSERT_EQ(AdvanceUpdate(rates.data(), steps, state.data(), nullptr), cudaSuccess);
      ExpectState(state.ToHost()[0], expected);
    }
  }
}

// After three replays the graph has advanced three steps, without a copy from the host in between.
TEST(StepStateTest, ACapturedStepMovesOnAtEachReplay) {
  SKIP_WITHOUT_GPU();
  DeviceArray<float> rates(kRates);
  DeviceArray<StepState> state(std::vector<StepState>{{0, 0, 0, kRates[0]}});
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  auto graph = CaptureGraph(stream, [&]() -> absl::Status {
    const bool launched = AdvanceBatch(100, state.data(), stream) == cudaSuccess &&
                          AdvanceUpdate(rates.data(), 3, state.data(), stream) == cudaSuccess;
    return launched ? absl::OkStatus() : absl::InternalError("a launch failed");
  });
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaGraphLaunch(graph->get(), stream), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ExpectState(state.ToHost()[0], {300, 3, 3, 0.05f});
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(StepStateTest, NoStepsAreRefused) {
  EXPECT_EQ(AdvanceUpdate(nullptr, 0, nullptr, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
