#include "lib/int8/network_plan.h"

#include <algorithm>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/random_integer_network_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::RandomIntegerNetwork;

size_t FusedAdditions(const NetworkPlan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) { return step.add.has_value(); });
}

TEST(NetworkPlanTest, AllAdditionsOfResNet18AreDoneByConvolutions) {
  const std::vector<LayerShape> layers = ResNet18Layers();
  const NetworkPlan fused = MakeNetworkPlan(layers, Additions::kFused);
  EXPECT_EQ(FusedAdditions(fused), 8u);
  EXPECT_EQ(fused.steps.size(), layers.size() - 8);
  EXPECT_LE(fused.place_values.size(), 3u);
  EXPECT_EQ(FusedAdditions(MakeNetworkPlan(layers, Additions::kSeparate)), 0u);
}

// Expects that a step finds every tensor that it reads: follows the contents of each place through the steps.
void ExpectTensorsAreThere(const std::vector<LayerShape>& layers, const NetworkPlan& plan) {
  std::vector<uint32_t> held(plan.place_values.size(), 0);
  const auto expect_held = [&](uint32_t tensor) { EXPECT_EQ(held[plan.place[tensor]], tensor); };
  for (const PlanStep& step : plan.steps) {
    for (const uint32_t input : layers[step.layer].inputs) {
      expect_held(input);
      EXPECT_NE(plan.place[input], plan.place[step.output]);
    }
    for (size_t i = 0; step.add.has_value() && i < 2; ++i) {
      if (const uint32_t input = layers[*step.add].inputs[i]; input != step.layer + 1) {
        expect_held(input);
        EXPECT_NE(plan.place[input], plan.place[step.output]);
      }
    }
    held[plan.place[step.output]] = step.output;
    EXPECT_GE(plan.place_values[plan.place[step.output]], layers[step.output - 1].Out().Size());
  }
  expect_held(static_cast<uint32_t>(layers.size()));
}

TEST(NetworkPlanTest, NoTensorIsOverwrittenBeforeItsLastReader) {
  std::mt19937 random(1);
  size_t fused = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<LayerShape> layers = RandomIntegerNetwork(random).Shapes();
    for (const Additions additions : {Additions::kSeparate, Additions::kFused}) {
      const NetworkPlan plan = MakeNetworkPlan(layers, additions);
      ExpectTensorsAreThere(layers, plan);
      fused += FusedAdditions(plan);
    }
  }
  EXPECT_GT(fused, 100u);
}

}  // namespace
}  // namespace lockstep
