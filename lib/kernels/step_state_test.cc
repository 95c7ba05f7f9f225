#include "lib/kernels/step_state.h"

#include <vector>

#include "gtest/gtest.h"
#include "lib/kernels/device_array.h"

namespace lockstep {
namespace {

const std::vector<float> kRates = {0.1f, 0.2f, 0.05f};

void ExpectState(const StepState& found, uint32_t first, uint32_t step, float learning_rate) {
  EXPECT_EQ(found.first, first);
  EXPECT_EQ(found.step, step);
  EXPECT_EQ(found.learning_rate, learning_rate);
}

// Batches of 32: three steps, and a fourth beyond the last rate.
TEST(StepStateTest, TheReferenceByHand) {
  StepState state = {0, 0, kRates[0]};
  const auto advance = [&] { AdvanceStepReference(kRates.data(), 3, 32, &state); };
  advance();
  ExpectState(state, 32, 1, 0.2f);
  advance();
  ExpectState(state, 64, 2, 0.05f);
  advance();
  ExpectState(state, 96, 3, 0.05f);
  advance();
  ExpectState(state, 128, 4, 0.05f);
}

TEST(StepStateTest, KernelEqualsReferenceStepByStep) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  DeviceArray<float> rates(kRates);
  for (const uint32_t steps : {1u, 2u, 3u}) {
    StepState expected = {7, 0, kRates[0]};
    DeviceArray<StepState> state(std::vector<StepState>{expected});
    for (int i = 0; i < 5; ++i) {
      AdvanceStepReference(kRates.data(), steps, 512, &expected);
      ASSERT_EQ(AdvanceStep(rates.data(), steps, 512, state.data(), nullptr), cudaSuccess);
      ExpectState(state.ToHost()[0], expected.first, expected.step, expected.learning_rate);
    }
  }
}

TEST(StepStateTest, AMicroBatchMovesWithinItsStep) {
  StepState expected = {32, 1, 0.2f};
  AdvanceMicroBatchReference(8, &expected);
  ExpectState(expected, 40, 1, 0.2f);
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  DeviceArray<StepState> state(std::vector<StepState>{{32, 1, 0.2f}});
  ASSERT_EQ(AdvanceMicroBatch(8, state.data(), nullptr), cudaSuccess);
  ExpectState(state.ToHost()[0], 40, 1, 0.2f);
}

// Replayed three times, the graph has moved three steps, without a copy from the host in between.
TEST(StepStateTest, ACapturedStepMovesOnAtEachReplay) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  DeviceArray<float> rates(kRates);
  DeviceArray<StepState> state(std::vector<StepState>{{0, 0, kRates[0]}});
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(AdvanceStep(rates.data(), 3, 100, state.data(), stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ExpectState(state.ToHost()[0], 300, 3, 0.05f);
  EXPECT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(StepStateTest, NoStepsAreRefused) {
  EXPECT_EQ(AdvanceStep(nullptr, 0, 32, nullptr, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
