#include "lib/int8_cuda/cuda_runner.h"

#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/random_integer_network_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::LastOutput;
using ::lockstep::testing::RandomImages;
using ::lockstep::testing::RandomIntegerNetworkOf;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

TEST(CudaRunnerTest, RunsAsThePlainRunnerDoes) {
  const auto runner = MakeCudaRunner("auto");
  if (!runner.ok()) {
    EXPECT_THAT(runner, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("GPU")));
    GTEST_SKIP() << "no GPU";
  }
  std::mt19937 random(1);
  const IntegerNetwork network = RandomIntegerNetworkOf(LeNet5Layers(), LastOutput::kSums, 2);
  constexpr size_t kImages = 5;
  std::vector<int8_t> images;
  for (size_t i = 0; i < kImages; ++i) {
    const std::vector<int8_t> one = RandomImages(network.layers[0].shape.In().Size(), random);
    images.insert(images.end(), one.begin(), one.end());
  }
  std::vector<std::vector<int32_t>> logits;
  std::vector<std::vector<int8_t>> tensors;
  for (const MakeIntegerRunner& make : {MakeIntegerRunner(MakePlainRunner), runner->make}) {
    const auto run = make(network);
    ASSERT_THAT(run, IsOk());
    for (const bool observed : {false, true}) {
      logits.emplace_back(kImages * 10);
      std::vector<std::vector<int8_t>> seen(network.layers.size());
      const IntegerBatchObserver observe = [&](size_t layer, const int8_t* values, size_t size) {
        seen[layer].insert(seen[layer].end(), values, values + size);
      };
      ASSERT_THAT((*run)(images.data(), kImages, logits.back().data(), observed ? observe : nullptr), IsOk());
      EXPECT_EQ(logits.back(), logits.front());
      if (observed) {
        tensors.insert(tensors.end(), seen.begin(), seen.end());
      }
    }
  }
  const size_t layers = network.layers.size();
  ASSERT_EQ(tensors.size(), 2 * layers);
  EXPECT_FALSE(tensors[0].empty());
  for (size_t i = 0; i < layers; ++i) {
    EXPECT_EQ(tensors[i], tensors[layers + i]) << "layer " << i;
  }
}

TEST(CudaRunnerTest, RefusesInstructionsOfACpu) {
  EXPECT_THAT(MakeCudaRunner("avx2"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("dp4a, mma, wgmma")));
}

}  // namespace
}  // namespace lockstep
