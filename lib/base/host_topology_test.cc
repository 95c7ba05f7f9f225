#include "lib/base/host_topology.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(HostTopologyTest, NumbersHostsByTheirFirstRanks) {
  const HostTopology two({"b", "b", "a", "a"});
  EXPECT_EQ(two.ranks(), 4);
  EXPECT_EQ(two.hosts(), 2);
  EXPECT_EQ(two.HostOf(1), 0);
  EXPECT_EQ(two.HostOf(2), 1);
  EXPECT_THAT(two.RanksOf(0), ElementsAre(0, 1));
  EXPECT_THAT(two.RanksOf(1), ElementsAre(2, 3));
  EXPECT_EQ(two.IndexOf(2), 0);
  EXPECT_EQ(two.IndexOf(3), 1);
  EXPECT_TRUE(two.IsUniform());
  EXPECT_EQ(two.Describe(), "2 hosts of 2 ranks");
}

TEST(HostTopologyTest, CounterpartsHaveTheSameIndex) {
  const HostTopology blocks({"a", "a", "b", "b", "c", "c"});
  EXPECT_THAT(blocks.CounterpartsOf(0), ElementsAre(0, 2, 4));
  EXPECT_THAT(blocks.CounterpartsOf(5), ElementsAre(1, 3, 5));
  const HostTopology dealt_out({"a", "b", "a", "b"});
  EXPECT_THAT(dealt_out.RanksOf(1), ElementsAre(1, 3));
  EXPECT_THAT(dealt_out.CounterpartsOf(2), ElementsAre(2, 3));
}

TEST(HostTopologyTest, UnequalHostsAreNotUniform) {
  const HostTopology unequal({"0", "0", "1"});
  EXPECT_FALSE(unequal.IsUniform());
  EXPECT_EQ(unequal.Describe("virtual host"), "2 virtual hosts of 1 to 2 ranks");
}

TEST(HostTopologyTest, OneHostAndOneRankAreDescribed) {
  EXPECT_EQ(HostTopology({"a", "a", "a"}).Describe(), "1 host of 3 ranks");
  EXPECT_EQ(HostTopology({"a", "b"}).Describe(), "2 hosts of 1 rank");
  EXPECT_TRUE(HostTopology({"a", "b"}).IsUniform());
}

}  // namespace
}  // namespace lockstep
