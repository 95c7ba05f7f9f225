#include "lib/prediction/bends.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

proto::Cluster SmallCluster(double latency_seconds) {
  proto::Cluster cluster;
  cluster.set_devices_per_host(2);
  cluster.mutable_intra_host()->set_bytes_per_second(100e9);
  cluster.mutable_inter_host()->set_latency_seconds(latency_seconds);
  cluster.mutable_inter_host()->set_bytes_per_second(10e9);
  cluster.set_algorithm("ring");
  return cluster;
}

Workload SmallWorkload(uint64_t images) {
  Workload workload;
  workload.training_images = images;
  workload.batch_per_device = 10;
  workload.step_seconds = Known(1e-3);
  workload.buckets = {{4e6, 0.8e-3}};
  return workload;
}

std::vector<std::string> Bends(const Workload& workload, const proto::Cluster& cluster, uint32_t devices) {
  const auto bends = ExplainBends(workload, cluster, Variant(), devices);
  EXPECT_THAT(bends, IsOk());
  return bends.value_or(std::vector<std::string>());
}

// 4 devices: 6 messages of 1 MB, 6 * (40 us + 100 us) = 840 us, of which 240 us are latency. The step takes 1.84 ms:
// 13 % of it. 1,000 images are 25 full steps of 40.
TEST(BendsTest, TheLatencyOfAStep) {
  EXPECT_THAT(Bends(SmallWorkload(1000), SmallCluster(40e-6), 4),
              ElementsAre("latency: without it a step would be 0.24 ms (13 %) shorter; 6 messages of 40 us"));
  EXPECT_THAT(Bends(SmallWorkload(1000), SmallCluster(1e-6), 4), IsEmpty());  // 6 us of 1.6 ms
  EXPECT_THAT(Bends(SmallWorkload(1000), SmallCluster(1), 2), IsEmpty());     // one host
}

// The step of one device takes 1 ms: 0.1 ms are reported, 5 us are not. One device has no overhead.
TEST(BendsTest, AnOverheadBelowZero) {
  Workload workload = SmallWorkload(1000);
  workload.overhead_seconds = Known(-0.1e-3);
  EXPECT_THAT(Bends(workload, SmallCluster(1e-6), 4),
              ElementsAre("overhead below 0: in the record a step of several devices took 0.1 ms less than the step of "
                          "one device and its communication; measure both again on a quiet machine"));
  EXPECT_THAT(Bends(workload, SmallCluster(1e-6), 1), IsEmpty());
  workload.overhead_seconds = Known(-5e-6);
  EXPECT_THAT(Bends(workload, SmallCluster(1e-6), 4), IsEmpty());
}

// 90 images in steps of 40: 40, 40 and 10, so 30 of 120 places are unused.
TEST(BendsTest, TheLastStepOfAnEpoch) {
  EXPECT_THAT(Bends(SmallWorkload(90), SmallCluster(1e-6), 4),
              ElementsAre("last step: the last of 3 steps has 10 of 40 images and takes as long as a full one, 25 % of "
                          "the epoch unused"));
  EXPECT_THAT(Bends(SmallWorkload(10), SmallCluster(1e-6), 4),
              ElementsAre("last step: the only step has 10 of 40 images and takes as long as a full one, 75 % of the "
                          "epoch unused"));
  EXPECT_THAT(Bends(SmallWorkload(3999), SmallCluster(1e-6), 4), IsEmpty());  // one image of 4,000 is missing
}

}  // namespace
}  // namespace lockstep
