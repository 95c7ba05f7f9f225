#include "lib/prediction/loss_bandwidth.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;

// Two devices per host; inside a host 1 us and 100 GB/s, between hosts 10 us.
proto::Cluster SmallCluster() {
  proto::Cluster cluster;
  cluster.set_devices_per_host(2);
  cluster.mutable_intra_host()->set_latency_seconds(1e-6);
  cluster.mutable_intra_host()->set_bytes_per_second(100e9);
  cluster.mutable_inter_host()->set_latency_seconds(10e-6);
  cluster.mutable_inter_host()->set_bytes_per_second(10e9);
  cluster.set_algorithm("ring");
  return cluster;
}

// A step of 0.9 ms without communication: 0.1 ms, a ninth, may be exposed. One bucket of 4 MB at the end of backward.
Workload SmallWorkload() {
  Workload workload;
  workload.training_images = 1000;
  workload.batch_per_device = 10;
  workload.step_seconds = Known(0.8e-3);
  workload.overhead_seconds = Known(0.1e-3);
  workload.buckets = {{4e6, 0.8e-3}};
  return workload;
}

LossBandwidth Find(const Workload& workload, const proto::Cluster& cluster, Exchange exchange, uint32_t devices) {
  Variant variant;
  variant.exchange = exchange;
  variant.link_factor = 7;  // not used
  const auto loss = FindLossBandwidth(workload, cluster, variant, devices);
  EXPECT_THAT(loss, IsOk());
  return loss.value_or(LossBandwidth());
}

// 2 messages of 2 MB inside take 42 us; 2 messages of 1 MB between hosts may take 58 us, 19 us each without the
// latency: 1e6 / 19e-6 = 52.6 GB/s.
TEST(LossBandwidthTest, AHierarchicalExchangeByHand) {
  const LossBandwidth loss = Find(SmallWorkload(), SmallCluster(), Exchange::kHierarchical, 4);
  ASSERT_TRUE(loss.bytes_per_second.has_value());
  EXPECT_NEAR(*loss.bytes_per_second, 1e6 / 19e-6, 1);
}

// Links inside the hosts of 1 TB/s, which are never the slowest ones: 6 * (10 us + 1e6/b) = 100 us, 150 GB/s.
TEST(LossBandwidthTest, AFlatExchangeByHand) {
  proto::Cluster cluster = SmallCluster();
  cluster.mutable_intra_host()->set_bytes_per_second(1e12);
  const LossBandwidth loss = Find(SmallWorkload(), cluster, Exchange::kFlat, 4);
  ASSERT_TRUE(loss.bytes_per_second.has_value());
  EXPECT_NEAR(*loss.bytes_per_second, 1e6 / (100e-6 / 6 - 10e-6), 1);
}

TEST(LossBandwidthTest, NamesWhyThereIsNone) {
  EXPECT_EQ(Find(SmallWorkload(), SmallCluster(), Exchange::kFlat, 2).why_none, "one host");
  // 6 * (10 us + 10 us) inside the hosts at any bandwidth between them; without latency still 6 * (1 us + 10 us) = 66
  // us, which is below 100 us.
  EXPECT_THAT(Find(SmallWorkload(), SmallCluster(), Exchange::kFlat, 4).why_none,
              ::testing::StartsWith("always: the latency"));
  proto::Cluster slow_inside = SmallCluster();
  slow_inside.mutable_intra_host()->set_bytes_per_second(1e9);
  EXPECT_THAT(Find(SmallWorkload(), slow_inside, Exchange::kHierarchical, 4).why_none,
              ::testing::StartsWith("always: communication within"));
  Workload hours = SmallWorkload();
  hours.step_seconds = Known(3600);  // 4 MB at 1 MB/s take seconds
  EXPECT_THAT(Find(hours, SmallCluster(), Exchange::kFlat, 4).why_none, ::testing::StartsWith("never: "));
}

}  // namespace
}  // namespace lockstep
