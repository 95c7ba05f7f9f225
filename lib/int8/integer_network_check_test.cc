#include "lib/int8/integer_network_check.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/random_network_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallResidualLayers;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns a valid network with every kind of layer; the last layer writes sums.
IntegerNetwork Good() {
  IntegerNetwork network;
  for (const LayerShape& shape : SmallResidualLayers()) {
    IntegerLayer layer;
    layer.shape = shape;
    layer.weight.assign(shape.WeightSize(), 1);
    if (shape.HasWeights()) {
      layer.bias.assign(shape.out_channels, 2);
      layer.multiplier.assign(shape.out_channels, 0.5f);
    } else if (shape.kind == LayerKind::kGlobalAveragePool) {
      layer.multiplier = {0.25f};
    }
    network.layers.push_back(layer);
  }
  network.layers.back().multiplier.clear();
  return network;
}

absl::Status Check(const std::string& name, const std::function<void(IntegerLayer&)>& spoil) {
  IntegerNetwork network = Good();
  for (IntegerLayer& layer : network.layers) {
    if (layer.shape.name == name) {
      spoil(layer);
    }
  }
  return CheckIntegerNetwork(network);
}

::testing::Matcher<const absl::Status&> Refuses(const std::string& layer, const std::string& words) {
  return StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr(layer + ": "), HasSubstr(words)));
}

TEST(CheckIntegerNetworkTest, TakesWhatIsWhole) {
  EXPECT_THAT(CheckIntegerNetwork(Good()), IsOk());
  EXPECT_THAT(Check("stem",
                    [](IntegerLayer& layer) {
                      layer.bias.clear();
                      layer.float_bias.assign(6, 0.5f);
                    }),
              IsOk());
}

TEST(CheckIntegerNetworkTest, RefusesWrongNumbersOfThem) {
  EXPECT_THAT(Check("stem", [](IntegerLayer& layer) { layer.weight.pop_back(); }), Refuses("stem", "161 weights"));
  EXPECT_THAT(Check("pool", [](IntegerLayer& layer) { layer.weight = {1}; }), Refuses("pool", "1 weights"));
  EXPECT_THAT(Check("stem", [](IntegerLayer& layer) { layer.bias.pop_back(); }), Refuses("stem", "5 biases for 6"));
  EXPECT_THAT(Check("stem", [](IntegerLayer& layer) { layer.float_bias = {1}; }), Refuses("stem", "1 biases for 6"));
  EXPECT_THAT(Check("block.add", [](IntegerLayer& layer) { layer.bias = {1}; }),
              Refuses("block.add", "1 biases for 0"));
  EXPECT_THAT(Check("stem", [](IntegerLayer& layer) { layer.multiplier.pop_back(); }),
              Refuses("stem", "5 multipliers for 6"));
  EXPECT_THAT(Check("pool", [](IntegerLayer& layer) { layer.multiplier.clear(); }),
              Refuses("pool", "0 multipliers for 1"));
  EXPECT_THAT(Check("block.add", [](IntegerLayer& layer) { layer.multiplier = {1}; }),
              Refuses("block.add", "1 multipliers for 0"));
}

TEST(CheckIntegerNetworkTest, RefusesNumbersThatCannotBeSummed) {
  EXPECT_THAT(Check("linear", [](IntegerLayer& layer) { layer.weight[3] = -128; }),
              Refuses("linear", "weight of -128"));
  EXPECT_THAT(Check("linear", [](IntegerLayer& layer) { layer.bias[9] = std::numeric_limits<int32_t>::max(); }),
              Refuses("linear", "could reach"));
}

TEST(CheckIntegerNetworkTest, RefusesSumsWhereTheyMeanNothing) {
  const std::string words = "which only a last, weighted layer";
  EXPECT_THAT(Check("stem", [](IntegerLayer& layer) { layer.multiplier.clear(); }), Refuses("stem", words));
  EXPECT_THAT(Check("linear", [](IntegerLayer& layer) { layer.shape.relu = true; }), Refuses("linear", words));
  EXPECT_THAT(Check("linear", [](IntegerLayer& layer) { layer.float_bias.assign(10, 1.0f); }),
              Refuses("linear", words));
}

TEST(CheckIntegerNetworkTest, RefusesTensorsWhoseOffsetsNeedMoreThan32Bits) {
  IntegerNetwork network = Good();
  network.layers.resize(1);
  network.layers[0].shape.in_height = network.layers[0].shape.in_width = 1 << 14;
  network.layers[0].shape.in_channels = 8;
  EXPECT_THAT(CheckIntegerNetwork(network), Refuses("stem", "2147483648 values is above 1073741824"));
}

TEST(CheckIntegerNetworkTest, RefusesShapesThatDoNotFollowOneAnother) {
  EXPECT_THAT(Check("block.conv2", [](IntegerLayer& layer) { layer.shape.in_channels = 8; }),
              Refuses("block.conv2", "channels"));
  EXPECT_THAT(CheckIntegerNetwork(IntegerNetwork()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("layers")));
}

}  // namespace
}  // namespace lockstep
