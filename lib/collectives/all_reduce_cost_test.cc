#include "lib/collectives/all_reduce_cost.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Alpha, beta and gamma in different decades: 1000 bytes cost 1 s to send and 0.01 s to add.
AllReduceTopology OneHost(uint32_t ranks) {
  AllReduceTopology topology;
  topology.ranks = ranks;
  topology.inside_host = {100, 1e-3};
  topology.gamma_seconds_per_byte = 1e-5;
  return topology;
}

double Seconds(AllReduceAlgorithm algorithm, const AllReduceTopology& topology, double bytes = 1000) {
  const auto seconds = AllReduceSeconds(algorithm, topology, bytes);
  EXPECT_THAT(seconds, IsOk());
  return seconds.value_or(-1);
}

TEST(AllReduceSecondsTest, OneRankHasNothingToDo) {
  for (const char* name : {"ring", "bidirectional_ring", "tree", "double_tree", "recursive_doubling",
                           "halving_doubling", "hierarchical"}) {
    EXPECT_EQ(Seconds(*ParseAllReduceAlgorithm(name), OneHost(1)), 0) << name;
  }
}

TEST(AllReduceSecondsTest, Ring) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRing, OneHost(2)), 200 + 1 + 0.005);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRing, OneHost(3)), 400 + 4.0 / 3 + 0.02 / 3);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRing, OneHost(4)), 600 + 1.5 + 0.0075);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRing, OneHost(8)), 1400 + 1.75 + 0.00875);
}

TEST(AllReduceSecondsTest, BidirectionalRing) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kBidirectionalRing, OneHost(2)), 200 + 1 + 0.005);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kBidirectionalRing, OneHost(4)), 600 + 0.75 + 0.0075);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kBidirectionalRing, OneHost(8)), 1400 + 0.875 + 0.00875);
}

TEST(AllReduceSecondsTest, Tree) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kTree, OneHost(2)), 200 + 2 + 0.01);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kTree, OneHost(3)), 400 + 4 + 0.02);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kTree, OneHost(4)), 400 + 4 + 0.02);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kTree, OneHost(8)), 600 + 6 + 0.03);
}

TEST(AllReduceSecondsTest, DoubleTree) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kDoubleTree, OneHost(2)), 200 + 1 + 0.005);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kDoubleTree, OneHost(3)), 400 + 1.5 + 0.01);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kDoubleTree, OneHost(8)), 600 + 2 + 0.01);
}

TEST(AllReduceSecondsTest, RecursiveDoubling) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRecursiveDoubling, OneHost(2)), 100 + 1 + 0.01);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRecursiveDoubling, OneHost(3)), 300 + 3 + 0.02);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRecursiveDoubling, OneHost(4)), 200 + 2 + 0.02);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRecursiveDoubling, OneHost(8)), 300 + 3 + 0.03);
}

TEST(AllReduceSecondsTest, HalvingDoubling) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHalvingDoubling, OneHost(2)), 200 + 1 + 0.005);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHalvingDoubling, OneHost(3)), 400 + 3 + 0.015);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHalvingDoubling, OneHost(4)), 400 + 1.5 + 0.0075);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHalvingDoubling, OneHost(8)), 600 + 1.75 + 0.00875);
}

// Two hosts of four ranks; between hosts 1000 s per message and 0.01 s per byte.
AllReduceTopology TwoHosts() {
  AllReduceTopology topology = OneHost(8);
  topology.ranks_per_host = 4;
  topology.between_hosts = {1000, 1e-2};
  return topology;
}

TEST(AllReduceSecondsTest, HierarchicalPaysEachLinkForItsShare) {
  // Inside a host: 6 messages, 1.5 * 1000 bytes, 750 added. Between hosts, for 250 bytes: 2 messages, 250 bytes, 125
  // added.
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHierarchical, TwoHosts()), 600 + 1.5 + 0.0075 + 2000 + 2.5 + 0.00125);
}

TEST(AllReduceSecondsTest, HierarchicalOnOneHostIsARing) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHierarchical, OneHost(4)),
                   Seconds(AllReduceAlgorithm::kRing, OneHost(4)));
}

TEST(AllReduceSecondsTest, HierarchicalTakesAnotherAlgorithmBetweenHosts) {
  AllReduceTopology topology = TwoHosts();
  topology.ranks = 32;
  topology.between_hosts_algorithm =
      AllReduceAlgorithm::kRecursiveDoubling;  // 8 hosts: 3 messages of 250 bytes, all added
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHierarchical, topology), 600 + 1.5 + 0.0075 + 3000 + 7.5 + 0.0075);
}

TEST(AllReduceSecondsTest, AFlatRingOverHostsGoesAtTheSlowLinksPace) {
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kRing, TwoHosts()), 14'000 + 17.5 + 0.00875);
}

TEST(AllReduceSecondsTest, NearPartnersStayInTheHost) {
  // Halving: 500 and 250 bytes inside, 125 between hosts; doubling sends the same back.
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kHalvingDoubling, TwoHosts()), 400 + 1.5 + 2000 + 2.5 + 0.00875);
  EXPECT_DOUBLE_EQ(Seconds(AllReduceAlgorithm::kTree, TwoHosts()), 400 + 4 + 2000 + 20 + 0.03);
}

TEST(AllReduceSecondsTest, RefusesWhatHasNoMeaning) {
  AllReduceTopology uneven = TwoHosts();
  uneven.ranks_per_host = 3;
  EXPECT_THAT(AllReduceSeconds(AllReduceAlgorithm::kRing, uneven, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("8 ranks in hosts of 3")));
  EXPECT_THAT(AllReduceSeconds(AllReduceAlgorithm::kRing, OneHost(0), 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 1 rank")));
  EXPECT_THAT(AllReduceSeconds(AllReduceAlgorithm::kRing, OneHost(2), -1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found -1")));
  AllReduceTopology endless = OneHost(2);
  endless.inside_host.alpha_seconds = std::numeric_limits<double>::infinity();
  EXPECT_THAT(AllReduceSeconds(AllReduceAlgorithm::kRing, endless, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found inf")));
  AllReduceTopology nested = TwoHosts();
  nested.between_hosts_algorithm = AllReduceAlgorithm::kHierarchical;
  EXPECT_THAT(AllReduceSeconds(AllReduceAlgorithm::kHierarchical, nested, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("flat algorithm")));
}

TEST(AllReduceAlgorithmTest, NamesAreReadBack) {
  for (const char* name : {"ring", "bidirectional_ring", "tree", "double_tree", "recursive_doubling",
                           "halving_doubling", "hierarchical"}) {
    const auto algorithm = ParseAllReduceAlgorithm(name);
    ASSERT_THAT(algorithm, IsOk());
    EXPECT_EQ(AllReduceAlgorithmName(*algorithm), name);
  }
  EXPECT_THAT(ParseAllReduceAlgorithm("rings"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("double_tree, recursive_doubling"), HasSubstr("; did you mean ring?"))));
}

}  // namespace
}  // namespace lockstep
