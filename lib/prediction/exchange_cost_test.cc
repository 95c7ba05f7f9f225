#include "lib/prediction/exchange_cost.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sums of a few doubles.
constexpr double kClose = 1e-12;

// Inside a host 1 us and 100 GB/s, between hosts 10 us and 10 GB/s.
proto::Cluster SmallCluster(uint32_t devices_per_host, const std::string& algorithm) {
  proto::Cluster cluster;
  cluster.set_devices_per_host(devices_per_host);
  cluster.mutable_intra_host()->set_latency_seconds(1e-6);
  cluster.mutable_intra_host()->set_bytes_per_second(100e9);
  cluster.mutable_inter_host()->set_latency_seconds(10e-6);
  cluster.mutable_inter_host()->set_bytes_per_second(10e9);
  cluster.set_algorithm(algorithm);
  return cluster;
}

ExchangeCost Cost(Exchange exchange, const std::vector<BucketLoad>& buckets, const proto::Cluster& cluster,
                  uint32_t devices) {
  const auto cost = CostOfExchange(exchange, buckets, cluster, devices);
  EXPECT_THAT(cost, IsOk());
  return cost.value_or(ExchangeCost());
}

// 4 devices of 2 hosts, S = 4 MB. Flat ring: 6 messages of 1 MB = 6 * (10 us + 100 us).
TEST(ExchangeCostTest, AFlatRingSendsTheWholeGradientOverTheNetwork) {
  const ExchangeCost cost = Cost(Exchange::kFlat, {{4e6, 0}}, SmallCluster(2, "ring"), 4);
  EXPECT_NEAR(cost.all_reduce_seconds, 660e-6, kClose);
  EXPECT_NEAR(cost.exposed_seconds, 660e-6, kClose);
  EXPECT_EQ(cost.network_messages, 6);
}

// Inside: 2 messages of 2 MB = 2 * (1 us + 20 us) = 42 us. Between 2 hosts, a ring of the share of 2 MB: 2 messages of
// 1 MB = 2 * (10 us + 100 us) = 220 us.
TEST(ExchangeCostTest, AHierarchicalExchangeSendsAShare) {
  for (const char* algorithm : {"ring", "hierarchical"}) {
    const ExchangeCost cost = Cost(Exchange::kHierarchical, {{4e6, 0}}, SmallCluster(2, algorithm), 4);
    EXPECT_NEAR(cost.all_reduce_seconds, 262e-6, kClose);
    EXPECT_EQ(cost.network_messages, 2);
    EXPECT_EQ(cost.algorithm, "ring");
  }
}

// 1,024 devices of 128 hosts of 8, S = 8 KB. Flat: a ring has 2,046 messages, so the double tree is taken: 20 messages
// of 10 us, 16 KB of 10 GB/s. Hierarchical: inside 14 * 1 us + 14 KB / 100 GB/s; the share of 1 KB by a double tree
// over 128 hosts: 14 * 10 us + 2 KB / 10 GB/s.
TEST(ExchangeCostTest, ADoubleTreeIsTakenForSmallGradientsOfManyHosts) {
  const ExchangeCost flat = Cost(Exchange::kFlat, {{8e3, 0}}, SmallCluster(8, ""), 1024);
  EXPECT_EQ(flat.algorithm, "double_tree");
  EXPECT_NEAR(flat.all_reduce_seconds, 200e-6 + 1.6e-6, kClose);
  const ExchangeCost hierarchical = Cost(Exchange::kHierarchical, {{8e3, 0}}, SmallCluster(8, ""), 1024);
  EXPECT_EQ(hierarchical.algorithm, "double_tree");
  EXPECT_NEAR(hierarchical.all_reduce_seconds, 14e-6 + 0.14e-6 + 140e-6 + 0.2e-6, kClose);
}

// Two buckets of 2 MB of the hierarchical exchange above, each 2 * (1 + 10) + 2 * (10 + 50) = 142 us, ready at 0 and
// 50 us: finished at 142 and 284 us, 234 us after the last one was ready.
TEST(ExchangeCostTest, BackwardHidesTheFirstBucket) {
  const ExchangeCost cost = Cost(Exchange::kHierarchical, {{2e6, 0}, {2e6, 50e-6}}, SmallCluster(2, "ring"), 4);
  EXPECT_NEAR(cost.all_reduce_seconds, 284e-6, kClose);
  EXPECT_NEAR(cost.exposed_seconds, 234e-6, kClose);
  EXPECT_EQ(cost.network_messages, 4);
}

// A flat ring is no faster than its link inside the hosts: 6 messages of 1 MB at 100 GB/s, 6 * (1 us + 10 us).
TEST(ExchangeCostTest, AFlatRingIsAsSlowAsItsSlowestLink) {
  proto::Cluster cluster = SmallCluster(2, "ring");
  cluster.mutable_inter_host()->set_latency_seconds(0);
  cluster.mutable_inter_host()->set_bytes_per_second(1e15);
  EXPECT_NEAR(Cost(Exchange::kFlat, {{4e6, 0}}, cluster, 4).all_reduce_seconds, 66e-6, kClose);
}

// On one host both are a ring over its link: 2 * (1 us + 20 us).
TEST(ExchangeCostTest, BothAreTheSameOnOneHost) {
  for (const Exchange exchange : {Exchange::kFlat, Exchange::kHierarchical}) {
    for (const char* algorithm : {"ring", "hierarchical"}) {
      const ExchangeCost cost = Cost(exchange, {{4e6, 0}}, SmallCluster(2, algorithm), 2);
      EXPECT_NEAR(cost.all_reduce_seconds, 42e-6, kClose);
      EXPECT_EQ(cost.network_messages, 0);
    }
  }
  EXPECT_EQ(Cost(Exchange::kFlat, {{4e6, 0}}, SmallCluster(2, "ring"), 1).all_reduce_seconds, 0);
}

// A host of one device has no link inside. Both are a ring between four hosts: 6 * (10 us + 1 MB / 10 GB/s).
TEST(ExchangeCostTest, HostsOfOneDeviceNeedNoLinkInside) {
  proto::Cluster cluster = SmallCluster(1, "ring");
  cluster.clear_intra_host();
  for (const Exchange exchange : {Exchange::kFlat, Exchange::kHierarchical}) {
    const ExchangeCost cost = Cost(exchange, {{4e6, 0}}, cluster, 4);
    EXPECT_NEAR(cost.all_reduce_seconds, 660e-6, kClose);
    EXPECT_EQ(cost.network_messages, 6);
    EXPECT_EQ(Cost(exchange, {{4e6, 0}}, cluster, 1).all_reduce_seconds, 0);
  }
}

TEST(ExchangeCostTest, RefusesAHierarchicalAlgorithmForAFlatExchange) {
  EXPECT_THAT(CostOfExchange(Exchange::kFlat, {{4e6, 0}}, SmallCluster(2, "hierarchical"), 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("use --exchange=hierarchical")));
  EXPECT_THAT(CheckAlgorithm(SmallCluster(2, "pigeon")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--algorithm: ")));
}

TEST(ParseExchangesTest, BothIsFlatAndHierarchical) {
  EXPECT_THAT(*ParseExchanges("both"), ElementsAre(Exchange::kFlat, Exchange::kHierarchical));
  EXPECT_THAT(*ParseExchanges("flat"), ElementsAre(Exchange::kFlat));
  EXPECT_THAT(*ParseExchanges("hierarchical"), ElementsAre(Exchange::kHierarchical));
  EXPECT_THAT(ParseExchanges("none"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--exchange=none")));
}

}  // namespace
}  // namespace lockstep
