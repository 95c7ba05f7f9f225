#include "lib/reducer/host_place.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

HostTopology OneHost(int ranks) { return HostTopology(std::vector<std::string>(ranks, "a")); }

TEST(HostPlaceTest, CounterpartsHaveTheSameIndexOnTheOtherHosts) {
  const HostTopology hosts({"a", "a", "b", "b", "c", "c"});
  const HostPlace place = HostPlaceOf(hosts, 3);
  EXPECT_EQ(place.host, 1);
  EXPECT_EQ(place.index, 1);
  EXPECT_THAT(place.host_ranks, ElementsAre(2, 3));
  EXPECT_THAT(place.counterparts, ElementsAre(1, 3, 5));
}

// Launchers may number the ranks round the hosts.
TEST(HostPlaceTest, RanksOfAHostNeedNotFollowEachOther) {
  const HostPlace place = HostPlaceOf(HostTopology({"a", "b", "a", "b"}), 2);
  EXPECT_EQ(place.host, 0);
  EXPECT_EQ(place.index, 1);
  EXPECT_THAT(place.host_ranks, ElementsAre(0, 2));
  EXPECT_THAT(place.counterparts, ElementsAre(2, 3));
}

// All ranks of a group must use one name, and no two groups the same.
TEST(HostPlaceTest, EachGroupHasANameOfItsOwn) {
  const HostTopology hosts({"a", "b", "b", "a", "c", "c"});
  std::set<std::string> names;
  for (int rank = 0; rank < hosts.ranks(); ++rank) {
    const HostPlace place = HostPlaceOf(hosts, rank);
    for (const int mate : place.host_ranks) {
      EXPECT_EQ(HostPlaceOf(hosts, mate).host_group, place.host_group);
    }
    for (const int counterpart : place.counterparts) {
      EXPECT_EQ(HostPlaceOf(hosts, counterpart).counterpart_group, place.counterpart_group);
    }
    EXPECT_EQ(place.host_ranks[place.index], rank);
    EXPECT_EQ(place.counterparts[place.host], rank);
    names.insert({place.host_group, place.counterpart_group});
  }
  EXPECT_EQ(names.size(), 3u + 2u);
}

TEST(CheckHierarchicalTest, HostsHaveEquallyManyRanks) {
  for (const HostTopology& hosts :
       {OneHost(1), OneHost(16), HostTopology({"a", "b"}), HostTopology({"a", "b", "b", "a"})}) {
    EXPECT_THAT(CheckHierarchical(hosts), IsOk()) << hosts.Describe();
  }
  EXPECT_THAT(CheckHierarchical(HostTopology({"a", "a", "b"})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found 2 hosts of 1 to 2 ranks")));
  EXPECT_THAT(CheckHierarchical(OneHost(17)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at most 16 ranks on each host")));
}

TEST(WhyNotHierarchicalTest, NamesTheReason) {
  EXPECT_EQ(WhyNotHierarchical(HostTopology({"a", "a", "b", "b"})), "");
  EXPECT_EQ(WhyNotHierarchical(HostTopology({"a", "b", "c"})), "the ranks are on different hosts");
  EXPECT_EQ(WhyNotHierarchical(HostTopology({"a", "b", "b"})),
            "several hosts need equally many ranks on each, found 2 hosts of 1 to 2 ranks");
  std::vector<std::string> many(17, "a");
  many.insert(many.end(), 17, "b");
  EXPECT_EQ(WhyNotHierarchical(HostTopology(many)), "copies between GPUs support at most 16 ranks on each host");
}

}  // namespace
}  // namespace lockstep
