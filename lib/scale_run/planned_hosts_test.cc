#include "lib/scale_run/planned_hosts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(PlannedHostsTest, RanksAreHereUnlessAddressesDiffer) {
  EXPECT_EQ(PlannedHosts({}, {}).First(4).Describe(), "1 host of 4 ranks");
  EXPECT_EQ(PlannedHosts({"", "", "10.0.0.2", "10.0.0.2"}, {}).First(4).Describe(), "2 hosts of 2 ranks");
}

TEST(PlannedHostsTest, VirtualHostsDivideEachHost) {
  EXPECT_EQ(PlannedHosts({}, {0, 0, 1, 1}).First(4).Describe(), "2 hosts of 2 ranks");
  EXPECT_EQ(PlannedHosts({"", "", "10.0.0.2", "10.0.0.2"}, {0, 1, 0, 1}).First(4).Describe(), "4 hosts of 1 rank");
}

TEST(PlannedHostsTest, APointUsesTheFirstRanks) {
  const PlannedHosts hosts({}, {0, 0, 1, 1});
  EXPECT_EQ(hosts.First(2).Describe(), "1 host of 2 ranks");
  EXPECT_EQ(hosts.First(3).Describe(), "2 hosts of 1 to 2 ranks");
  EXPECT_THAT(hosts.virtual_hosts(), ElementsAre(0, 0, 1, 1));
}

}  // namespace
}  // namespace lockstep
