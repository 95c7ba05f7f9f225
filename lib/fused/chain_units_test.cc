#include "lib/fused/chain_units.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<std::string>> Names(const ResNetUnits& net, size_t max_units) {
  std::vector<std::vector<std::string>> names;
  for (const std::vector<size_t>& chain : ChainsOfUnits(net, max_units)) {
    names.emplace_back();
    for (const size_t u : chain) {
      names.back().push_back(net.units[u].conv_name);
    }
  }
  return names;
}

TEST(ChainUnitsTest, ChainsOfResNet18) {
  EXPECT_THAT(Names(MakeResNetUnits(), 6),
              ElementsAre(ElementsAre("layer1.0.conv1", "layer1.0.conv2", "layer1.1.conv1", "layer1.1.conv2"),
                          ElementsAre("layer2.0.conv2", "layer2.1.conv1", "layer2.1.conv2"),
                          ElementsAre("layer3.0.conv2", "layer3.1.conv1", "layer3.1.conv2"),
                          ElementsAre("layer4.0.conv2", "layer4.1.conv1", "layer4.1.conv2")));
}

TEST(ChainUnitsTest, LongRunsAreDivided) {
  const ResNetUnits net = MakeResNetUnits(kResNet34Blocks);
  std::vector<size_t> lengths;
  for (const std::vector<size_t>& chain : ChainsOfUnits(net, 6)) {
    lengths.push_back(chain.size());
  }
  // The stages have 6, 7, 11 and 5 convolutions with a stride of 1.
  EXPECT_THAT(lengths, ElementsAre(6, 3, 4, 5, 6, 5));
}

TEST(ChainUnitsTest, AUnitAloneIsNoChain) {
  EXPECT_THAT(Names(MakeResNetUnits({1, 1, 1, 1}), 6), ElementsAre(ElementsAre("layer1.0.conv1", "layer1.0.conv2")));
}

// A chain waits for a shortcut before its first unit, and runs without a pause from there.
TEST(ChainUnitsTest, OnlyTheFirstUnitAddsAShortcut) {
  for (const StageBlocks& blocks : {kResNet18Blocks, kResNet34Blocks}) {
    const ResNetUnits net = MakeResNetUnits(blocks);
    for (const size_t max_units : {2, 3, 6}) {
      for (const std::vector<size_t>& chain : ChainsOfUnits(net, max_units)) {
        ASSERT_GE(chain.size(), 2);
        ASSERT_LE(chain.size(), max_units);
        for (const ResidualBlock& block : net.blocks) {
          for (size_t i = 1; i < chain.size(); ++i) {
            EXPECT_FALSE(chain[i] == block.conv2 && block.shortcut.has_value()) << net.units[chain[i]].conv_name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
