#include "lib/int8_cuda/network_memory.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "gtest/gtest.h"
#include "lib/int8/random_integer_network_testing.h"
#include "lib/int8_cuda/device_layout.h"

namespace lockstep {
namespace {

using ::lockstep::testing::RandomIntegerNetwork;

TEST(PlaceSizesTest, EachWrittenTensorFits) {
  std::mt19937 random(1);
  size_t with_scratch = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<LayerShape> layers = RandomIntegerNetwork(random).Shapes();
    for (const Additions additions : {Additions::kSeparate, Additions::kFused}) {
      const NetworkPlan plan = MakeNetworkPlan(layers, additions);
      const PlaceSizes sizes = MakePlaceSizes(layers, plan);
      ASSERT_EQ(sizes.places.size(), plan.place_values.size());
      EXPECT_GE(sizes.places[plan.place[0]], PaddedBytes(layers[0].In()));
      for (const PlanStep& step : plan.steps) {
        EXPECT_GE(sizes.places[plan.place[step.output]], PaddedBytes(layers[step.output - 1].Pooled()));
        if (layers[step.layer].pool != 0) {
          EXPECT_GE(sizes.scratch, PaddedBytes(layers[step.layer].Out()));
        }
      }
      with_scratch += sizes.scratch > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(with_scratch, 100u);
  EXPECT_LT(with_scratch, 900u);
}

TEST(PlaceSizesTest, ResNet18SharesThreePlaces) {
  const std::vector<LayerShape> layers = ResNet18Layers();
  const PlaceSizes sizes = MakePlaceSizes(layers, MakeNetworkPlan(layers, Additions::kFused));
  EXPECT_LE(sizes.places.size(), 3u);
  EXPECT_EQ(*std::max_element(sizes.places.begin(), sizes.places.end()), 32u * 32 * 64);
  EXPECT_EQ(sizes.scratch, 0u);
}

}  // namespace
}  // namespace lockstep
