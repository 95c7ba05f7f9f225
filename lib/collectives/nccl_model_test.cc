#include "lib/collectives/nccl_model.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

NcclMachine OneNode(uint32_t ranks) {
  NcclMachine machine;
  machine.ranks = ranks;
  return machine;
}

NcclCost Cost(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol, uint64_t size = 1 << 30) {
  const auto cost = NcclAllReduceCost(machine, algorithm, protocol, size);
  EXPECT_THAT(cost, IsOk());
  return cost.value_or(NcclCost{});
}

void ExpectCost(const NcclCost& cost, double microseconds, double gigabytes_per_second) {
  EXPECT_NEAR(cost.latency_seconds * 1e6, microseconds, 1e-9);
  EXPECT_NEAR(cost.bytes_per_second / 1e9, gigabytes_per_second, 1e-9);
}

TEST(NcclModelTest, RingOfFourHoppers) {
  const NcclMachine machine = OneNode(4);  // 6 steps; the algorithm bandwidth is 4/6 of the bus bandwidth
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl), 6.6 + 6 * 0.6, 141.0 * 4 / 6);
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl128), 14 + 6 * 1.9, 370.8 * 0.92 * 4 / 6);
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kSimple), 8.4 + 6 * 3.4, 370.8 * 4 / 6);
}

// The same numbers with the digits that NCCL_DEBUG_SUBSYS=TUNING would print: 10.2/94, 25.4/227, 28.8/247.
TEST(NcclModelTest, RingOfFourHoppersAsPrinted) {
  const NcclMachine machine = OneNode(4);
  EXPECT_NEAR(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl).bytes_per_second / 1e9, 94, 0.5);
  EXPECT_NEAR(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl128).bytes_per_second / 1e9, 227, 0.5);
  EXPECT_NEAR(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kSimple).bytes_per_second / 1e9, 247, 0.5);
}

// Two lines cross at (l2 - l1) / (1/b1 - 1/b2). LL and LL128: (25.4-10.2) us / (1/94 - 1/227.424) per GB/s = 2.436 MB;
// LL128 and Simple: (28.8-25.4) / (1/227.424 - 1/247.2) = 9.666 MB.
TEST(NcclModelTest, RingProtocolsCrossAtTwoAndTenMegabytes) {
  const auto fastest_ring = [](uint64_t size) {
    const auto predictions = NcclAllReducePredictions(OneNode(4), size);
    for (const NcclPrediction& prediction : predictions.value()) {
      if (prediction.cost.algorithm == NcclAlgorithm::kRing) {
        return prediction.cost.protocol;
      }
    }
    return NcclProtocol::kLl;
  };
  EXPECT_EQ(fastest_ring(2'430'000), NcclProtocol::kLl);
  EXPECT_EQ(fastest_ring(2'440'000), NcclProtocol::kLl128);
  EXPECT_EQ(fastest_ring(9'660'000), NcclProtocol::kLl128);
  EXPECT_EQ(fastest_ring(9'670'000), NcclProtocol::kSimple);
}

TEST(NcclModelTest, TreeOfFourHoppers) {
  const NcclMachine machine = OneNode(4);  // a chain inside the node: 3 hops up, 3 down
  const double bus = 370.8 * 0.92;         // below 18 channels of 38.7
  ExpectCost(Cost(machine, NcclAlgorithm::kTree, NcclProtocol::kLl), 6.8 + 6 * 0.6, bus / 3.8 / 2);
  ExpectCost(Cost(machine, NcclAlgorithm::kTree, NcclProtocol::kLl128), 14 + 6 * 1.25, bus * 7 / 9 / 2);
  ExpectCost(Cost(machine, NcclAlgorithm::kTree, NcclProtocol::kSimple), 8.4 + 6 * 4.0, bus / 2);
}

TEST(NcclModelTest, TreesAreSlowerAtMediumSizes) {
  const double whole = Cost(OneNode(4), NcclAlgorithm::kTree, NcclProtocol::kLl, 1 << 30).bytes_per_second;
  // 64 * 2^12 = 256 KiB: the 13th factor of LL is 0.4; one byte less takes the 12th, 0.5.
  EXPECT_DOUBLE_EQ(Cost(OneNode(4), NcclAlgorithm::kTree, NcclProtocol::kLl, 262'144).bytes_per_second, 0.4 * whole);
  EXPECT_DOUBLE_EQ(Cost(OneNode(4), NcclAlgorithm::kTree, NcclProtocol::kLl, 262'143).bytes_per_second, 0.5 * whole);
  EXPECT_DOUBLE_EQ(Cost(OneNode(4), NcclAlgorithm::kTree, NcclProtocol::kLl, 0).bytes_per_second, whole);
}

NcclMachine FourNodesOfEight() {
  NcclMachine machine;
  machine.ranks = 32;
  machine.nodes = 4;
  machine.channels = 8;
  machine.bus_bytes_per_second = 8 * 45e9;
  machine.network_latency_seconds = 1e-6;
  return machine;
}

TEST(NcclModelTest, RingOverNodes) {
  const NcclMachine machine = FourNodesOfEight();  // 62 steps, 6 of them over the network
  const double share = 32.0 / 62;
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl), 6.6 + 56 * 1.0 + 6 * 3.7, 20.4 * share);
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl128), 14 + 56 * 1.9 + 6 * 5.0, 8 * 36.7 * share);
  // The plateau starts at 64 bytes per channel and rank: 64 * 8 * 32 = 16,384.
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kSimple, 16'383), 8.4 + 56 * 3.4 + 6 * 16.0,
             360 * share);
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kSimple, 16'384), 1.4 * (8.4 + 56 * 3.4 + 6 * 16.0),
             360 * share);
}

TEST(NcclModelTest, TreeOverNodes) {
  const NcclMachine machine = FourNodesOfEight();  // 7 hops inside a node, log2 4 between nodes
  ExpectCost(Cost(machine, NcclAlgorithm::kTree, NcclProtocol::kSimple), 8.4 + 2 * (7 * 4.0 + 2 * 16.0), 8 * 36.0 / 2);
  ExpectCost(Cost(machine, NcclAlgorithm::kTree, NcclProtocol::kLl128), 14 + 2 * (7 * 1.25 + 2 * 9.5), 8 * 29.0 / 2);
  ExpectCost(Cost(machine, NcclAlgorithm::kTree, NcclProtocol::kLl), 6.8 + 2 * (7 * 0.6 + 2 * 6.0), 20.4 / 2);
}

TEST(NcclModelTest, CpuAndLonelyRanksMatterBetweenNodes) {
  NcclMachine machine = FourNodesOfEight();
  machine.amd_cpu = true;
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl), 6.6 + 56 * 2.0 + 6 * 3.7, 19.0 * 32 / 62);
  machine = FourNodesOfEight();
  machine.ranks = 4;
  ExpectCost(Cost(machine, NcclAlgorithm::kRing, NcclProtocol::kLl), 6.6 + 6 * 6.0, 20.4 * 4 / 6);
}

TEST(NcclModelTest, TheFastestComesFirst) {
  const auto predictions = NcclAllReducePredictions(OneNode(4), 44'695'848);
  ASSERT_THAT(predictions, IsOk());
  ASSERT_EQ(predictions->size(), 6u);
  EXPECT_EQ(NcclName((*predictions)[0].cost.algorithm), "Ring");
  EXPECT_EQ(NcclName((*predictions)[0].cost.protocol), "Simple");
  EXPECT_NEAR((*predictions)[0].seconds * 1e6, 28.8 + 44.695848 / 0.2472, 1e-6);  // 209.6 us
}

TEST(NcclModelTest, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(NcclAllReducePredictions(OneNode(1), 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 or more ranks")));
  NcclMachine uneven = FourNodesOfEight();
  uneven.nodes = 5;
  EXPECT_THAT(NcclAllReducePredictions(uneven, 1), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("5 nodes")));
  NcclMachine still = OneNode(2);
  still.bus_bytes_per_second = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(NcclAllReducePredictions(still, 1), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nan B/s")));
}

}  // namespace
}  // namespace lockstep
