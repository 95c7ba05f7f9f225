#include "lib/int8_cpu/start_values.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(StartValuesTest, SubtractsTheZeroPointTimesTheWeightsAtRealTaps) {
  IntegerLayer layer;
  layer.shape = ConvShape("layer", 0, {5, 5, 1}, /*out_channels=*/2, /*kernel=*/2);
  layer.weight = {1, 2, 3, 4, -1, 10, 20, 30};
  layer.bias = {1000, -5};
  const StartValues start(layer, /*zero=*/3);
  EXPECT_THAT(start.Of({{0, 2}, {0, 2}, {}}, /*lanes=*/1), ElementsAre(1000 - 3 * 10, -5 - 3 * 59));
  EXPECT_THAT(start.Of({{1, 2}, {0, 1}, {}}, /*lanes=*/4), ElementsAre(1000 - 3 * 3, -5 - 3 * 20, 0, 0));
}

TEST(StartValuesTest, WithoutABiasAndWithoutRealTapsIsZero) {
  IntegerLayer layer;
  layer.shape = ConvShape("layer", 0, {5, 5, 1}, 1, 1);
  layer.weight = {7};
  EXPECT_THAT(StartValues(layer, 3).Of({{0, 0}, {0, 0}, {}}, 1), ElementsAre(0));
}

}  // namespace
}  // namespace lockstep
