#include "lib/prediction/what_if.h"

#include <cmath>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::HasSubstr;

// Sums of a few doubles.
constexpr double kClose = 1e-12;

// Two devices per host; inside a host 1 us and 100 GB/s, between hosts 10 us and 10 GB/s.
proto::Cluster SmallCluster(const std::string& algorithm) {
  proto::Cluster cluster;
  cluster.set_devices_per_host(2);
  cluster.mutable_intra_host()->set_latency_seconds(1e-6);
  cluster.mutable_intra_host()->set_bytes_per_second(100e9);
  cluster.mutable_inter_host()->set_latency_seconds(10e-6);
  cluster.mutable_inter_host()->set_bytes_per_second(10e9);
  cluster.set_algorithm(algorithm);
  return cluster;
}

// 1,000 images, 10 per step of 1 ms on one device; one bucket of 4 MB at the end of backward; 0.1 ms of overhead on
// several devices.
Workload SmallWorkload() {
  Workload workload;
  workload.training_images = 1000;
  workload.batch_per_device = 10;
  workload.step_seconds = Known(1e-3);
  workload.overhead_seconds = Known(1e-4);
  workload.buckets = {{4e6, 0.8e-3}};
  return workload;
}

proto::ModelSpec Spec() {
  proto::ModelSpec spec;
  spec.set_confidence(0.95);
  spec.set_min_gain(1.1);
  return spec;
}

proto::WhatIfRow Ask(const Workload& workload, const proto::Cluster& cluster, const Variant& variant,
                     uint32_t devices) {
  const auto row = AskWhatIf(workload, cluster, Spec(), variant, devices);
  EXPECT_THAT(row, IsOk());
  return row.value_or(proto::WhatIfRow());
}

// A link that was measured for the flat exchange alone changes no hierarchical one.
TEST(WhatIfTest, TheFlatExchangeMayHaveItsOwnLink) {
  proto::Cluster cluster = SmallCluster("ring"), flat_cluster = cluster;
  cluster.mutable_inter_host_flat()->set_latency_seconds(40e-6);
  cluster.mutable_inter_host_flat()->set_bytes_per_second(2e9);
  *flat_cluster.mutable_inter_host() = cluster.inter_host_flat();
  Variant flat, hierarchical;
  flat.exchange = Exchange::kFlat;
  hierarchical.exchange = Exchange::kHierarchical;
  const auto text = [](const proto::WhatIfRow& row) { return row.DebugString(); };
  EXPECT_EQ(text(Ask(SmallWorkload(), cluster, flat, 4)), text(Ask(SmallWorkload(), flat_cluster, flat, 4)));
  EXPECT_EQ(text(Ask(SmallWorkload(), cluster, hierarchical, 4)),
            text(Ask(SmallWorkload(), SmallCluster("ring"), hierarchical, 4)));
  EXPECT_NE(text(Ask(SmallWorkload(), cluster, flat, 4)), text(Ask(SmallWorkload(), SmallCluster("ring"), flat, 4)));
  cluster.mutable_inter_host_flat()->set_latency_seconds(0);
  EXPECT_FALSE(AskWhatIf(SmallWorkload(), cluster, Spec(), flat, 4).ok());
}

// Over a link that is 25 % slower, 6 messages of 1 MB take 6 * 137.5 us instead of 6 * 110 us; over one that takes
// 1/1.25 of the time, 6 * 88 us. All of it is exposed. Half the difference is 148.5 us.
TEST(WhatIfTest, TheErrorOfAMeasuredLinkIsInTheInterval) {
  proto::Cluster cluster = SmallCluster("ring");
  const Workload workload = SmallWorkload();
  Variant flat;
  flat.exchange = Exchange::kFlat;
  const proto::WhatIfRow exact = Ask(workload, cluster, flat, 4);
  EXPECT_FALSE(exact.exposed_seconds().has_low());
  cluster.mutable_inter_host()->set_relative_error(0.25);
  const proto::WhatIfRow row = Ask(workload, cluster, flat, 4);
  EXPECT_EQ(row.step_seconds().value(), exact.step_seconds().value());
  const double kReach = 1.959964;  // half of a 95 % interval, in standard errors
  EXPECT_NEAR(row.exposed_seconds().high() - row.exposed_seconds().value(), kReach * 148.5e-6, 1e-9);
  EXPECT_NEAR(row.step_seconds().high() - row.step_seconds().value(), kReach * 148.5e-6, 1e-9);
  EXPECT_FALSE(Ask(workload, cluster, flat, 2).step_seconds().has_low());  // one host
  cluster.mutable_inter_host()->set_relative_error(-1);
  EXPECT_FALSE(AskWhatIf(workload, cluster, Spec(), flat, 4).ok());
}

TEST(WhatIfTest, OneDeviceIsTheRunItself) {
  const proto::WhatIfRow row = Ask(SmallWorkload(), SmallCluster("ring"), Variant(), 1);
  EXPECT_NEAR(row.epoch_seconds().value(), 0.1, kClose);  // 100 steps of 1 ms
  EXPECT_NEAR(row.speedup().value(), 1, kClose);
  EXPECT_EQ(row.exposed_seconds().value(), 0);
}

// Ring, 4 devices on 2 hosts, S = 4 MB: 6 messages of 1 MB, each as slow as the link between hosts:
// 6 * (10 us + 1e6/10e9 s) = 6 * 110 us = 660 us. Step 1 + 0.1 + 0.66 = 1.76 ms; 1000/40 = 25 steps: 44 ms.
TEST(WhatIfTest, RingOverTwoHostsByHand) {
  const proto::WhatIfRow row = Ask(SmallWorkload(), SmallCluster("ring"), Variant(), 4);
  EXPECT_EQ(row.hosts(), 2u);
  EXPECT_EQ(row.algorithm(), "ring");
  EXPECT_NEAR(row.all_reduce_seconds().value(), 660e-6, kClose);
  EXPECT_NEAR(row.exposed_seconds().value(), 660e-6, kClose);
  EXPECT_NEAR(row.step_seconds().value(), 1.76e-3, kClose);
  EXPECT_NEAR(row.device_step_seconds().value(), 1e-3, kClose);
  EXPECT_NEAR(row.overhead_seconds().value(), 0.1e-3, kClose);
  EXPECT_NEAR(row.device_step_seconds().value() + row.overhead_seconds().value() + row.exposed_seconds().value() +
                  row.straggler_seconds().value(),
              row.step_seconds().value(), kClose);
  EXPECT_NEAR(row.epoch_seconds().value(), 44e-3, kClose);
  EXPECT_NEAR(row.images_per_second().value(), 40 / 1.76e-3, 1e-6);
  EXPECT_NEAR(row.speedup().value(), 0.1 / 44e-3, 1e-9);
  EXPECT_NEAR(row.efficiency().value(), 0.1 / 44e-3 / 4, 1e-9);
}

// The exchange of 262 us (exchange_cost_test.cc). Step 1 + 0.1 + 0.262 = 1.362 ms; 25 steps: 34.05 ms.
TEST(WhatIfTest, AHierarchicalExchangeByHand) {
  Variant variant;
  variant.exchange = Exchange::kHierarchical;
  const proto::WhatIfRow row = Ask(SmallWorkload(), SmallCluster("ring"), variant, 4);
  EXPECT_EQ(row.exchange(), "hierarchical");
  EXPECT_EQ(row.algorithm(), "ring");
  EXPECT_NEAR(row.exposed_seconds().value(), 262e-6, kClose);
  EXPECT_NEAR(row.epoch_seconds().value(), 34.05e-3, 1e-9);
  EXPECT_NEAR(row.efficiency().value(), 0.1 / 34.05e-3 / 4, 1e-9);
}

TEST(WhatIfTest, ARowHoldsItsExchangeItsLossAndItsBends) {
  const proto::WhatIfRow flat = Ask(SmallWorkload(), SmallCluster("ring"), Variant(), 4);
  EXPECT_EQ(flat.exchange(), "flat");
  // 1.1 ms / 9 = 122 us may be exposed: 6 * (10 us + 1e6/b) = 122.2 us, so 1e6/b = 10.37 us.
  EXPECT_NEAR(flat.loss_bytes_per_second().value(), 1e6 / (1.1e-3 / 9 / 6 - 10e-6), 1);
  ASSERT_EQ(flat.bend_size(), 1);  // 25 full steps, but 60 us of latency in 1.76 ms
  EXPECT_THAT(flat.bend(0), HasSubstr("latency: "));
  const proto::WhatIfRow inside = Ask(SmallWorkload(), SmallCluster("ring"), Variant(), 2);
  EXPECT_EQ(inside.exchange(), "one host");
  EXPECT_EQ(inside.loss_bytes_per_second().absent_reason(), "one host");
  EXPECT_EQ(inside.bend_size(), 0);
}

TEST(WhatIfTest, WithoutAnAlgorithmTheFasterOneOfNcclIsTaken) {
  const proto::WhatIfRow row = Ask(SmallWorkload(), SmallCluster(""), Variant(), 4);
  for (const char* algorithm : {"ring", "double_tree"}) {
    EXPECT_LE(row.all_reduce_seconds().value(),
              Ask(SmallWorkload(), SmallCluster(algorithm), Variant(), 4).all_reduce_seconds().value() + kClose)
        << algorithm;
  }
}

TEST(WhatIfTest, VariantsChangeOneThing) {
  const proto::Cluster cluster = SmallCluster("ring");
  Variant links;
  links.link_factor = 2;  // 6 * (10 us + 50 us)
  EXPECT_NEAR(Ask(SmallWorkload(), cluster, links, 4).all_reduce_seconds().value(), 360e-6, kClose);
  Variant gradients;
  gradients.gradient_factor = 0.5;  // the same bytes per second, half the bytes
  EXPECT_NEAR(Ask(SmallWorkload(), cluster, gradients, 4).all_reduce_seconds().value(), 360e-6, kClose);
  // Four buckets of 1 MB, ready at 0.2, 0.4, 0.6, 0.8 ms, each 6 * (10 + 25) = 210 us: finished at 0.41, 0.62,
  // 0.83, 1.04.
  Variant buckets;
  buckets.bucket_bytes = 1e6;
  const proto::WhatIfRow row = Ask(SmallWorkload(), cluster, buckets, 4);
  EXPECT_NEAR(row.all_reduce_seconds().value(), 840e-6, kClose);
  EXPECT_NEAR(row.exposed_seconds().value(), 240e-6, kClose);
}

TEST(WhatIfTest, StragglersGrowWithTheDevices) {
  Workload workload = SmallWorkload();
  workload.straggler_sigma_seconds = 1e-4;
  const double without = Ask(SmallWorkload(), SmallCluster("ring"), Variant(), 4).step_seconds().value();
  EXPECT_NEAR(Ask(workload, SmallCluster("ring"), Variant(), 4).step_seconds().value(), without + 1.0293753730e-4,
              1e-12);
}

// Epochs of 2, 4, 8 devices. 2: 50 steps of 1 + 0.1 + 2*(1+20) us = 1.142 ms: 57.1 ms. 4: 44 ms, 1.30 times as short.
// 8: 13 steps of 1.1 ms + 14 * (10 + 50) us = 1.94 ms: 25.2 ms, 1.74 times as short. 256: 1 step, like 128, and more
// messages.
TEST(WhatIfTest, ReportsWhereMoreDevicesNoLongerPay) {
  const proto::Cluster cluster = SmallCluster("ring");
  EXPECT_NEAR(Ask(SmallWorkload(), cluster, Variant(), 2).epoch_seconds().value(), 57.1e-3, 1e-9);
  EXPECT_TRUE(Ask(SmallWorkload(), cluster, Variant(), 4).pays());
  EXPECT_NEAR(Ask(SmallWorkload(), cluster, Variant(), 8).epoch_seconds().value(), 13 * 1.94e-3, 1e-9);
  EXPECT_TRUE(Ask(SmallWorkload(), cluster, Variant(), 8).pays());
  EXPECT_FALSE(Ask(SmallWorkload(), cluster, Variant(), 256).pays());
  // 64: 2 steps of 1.1 ms + 126 * (10 + 6.25) us = 6.3 ms; 32 take 4 steps of 1.1 ms + 62 * (10 + 12.5) us = 10.0 ms:
  // 1.58 times. 128: 1 step of 1.1 ms + 254 * (10 + 3.125) us = 4.4 ms: 1.42 times. 256: 1 step, longer: scaling stops
  // paying here.
  EXPECT_EQ(Ask(SmallWorkload(), cluster, Variant(), 8).stops_paying_at(), 256u);
}

// 4 hosts: 6 * (10 us + 100 us) = 660 us after backward, 25 steps of 1.76 ms. 256 stop to pay as above, where the link
// between hosts decides, too.
TEST(WhatIfTest, HostsOfOneDeviceNeedNoLinkInside) {
  proto::Cluster cluster = SmallCluster("ring");
  cluster.set_devices_per_host(1);
  cluster.clear_intra_host();
  const proto::WhatIfRow row = Ask(SmallWorkload(), cluster, Variant(), 4);
  EXPECT_EQ(row.hosts(), 4u);
  EXPECT_NEAR(row.all_reduce_seconds().value(), 660e-6, kClose);
  EXPECT_NEAR(row.epoch_seconds().value(), 44e-3, 1e-9);
  EXPECT_NEAR(row.speedup().value(), 100 / 44., 1e-9);
  EXPECT_EQ(row.stops_paying_at(), 256u);
}

TEST(WhatIfTest, SixteenThousandDevicesAreFinite) {
  const proto::WhatIfRow row = Ask(SmallWorkload(), SmallCluster(""), Variant(), 16384);
  EXPECT_TRUE(std::isfinite(row.step_seconds().value()));
  EXPECT_EQ(row.hosts(), 8192u);
  EXPECT_FALSE(row.pays());
}

TEST(WhatIfTest, AHostOfBillionsEndsToo) {
  proto::Cluster cluster = SmallCluster("ring");
  cluster.set_devices_per_host(4000000000u);
  EXPECT_EQ(Ask(SmallWorkload(), cluster, Variant(), 4).hosts(), 1u);
}

TEST(WhatIfTest, RefusesBucketsWithoutNumber) {
  Variant variant;
  variant.name = "buckets of 1e-06 MiB";
  variant.bucket_bytes = 1;
  const auto row = AskWhatIf(SmallWorkload(), SmallCluster("ring"), Spec(), variant, 4);
  EXPECT_EQ(row.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(row.status().message()), HasSubstr("--what_if_bucket_mib"));
}

TEST(WhatIfTest, SeveralHostsNeedTheirLink) {
  proto::Cluster cluster = SmallCluster("ring");
  cluster.clear_inter_host();
  const absl::Status status = CheckCluster(cluster, 4);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--inter_host_gigabytes_per_second"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--inter_host_all_reduce"));
  EXPECT_THAT(CheckCluster(cluster, 2), IsOk());             // one host
  cluster.mutable_inter_host()->set_bytes_per_second(10e9);  // the latency is needed too
  EXPECT_THAT(std::string(CheckCluster(cluster, 4).message()), HasSubstr("--inter_host_latency_microseconds"));
}

TEST(WhatIfTest, RejectsWhatIsNoCluster) {
  proto::Cluster cluster = SmallCluster("ring");
  EXPECT_THAT(std::string(AskWhatIf(SmallWorkload(), cluster, Spec(), Variant(), 5).status().message()),
              HasSubstr("whole hosts of 2"));
  EXPECT_EQ(AskWhatIf(SmallWorkload(), cluster, Spec(), Variant(), 0).status().code(),
            absl::StatusCode::kInvalidArgument);
  cluster.set_algorithm("pigeon");
  EXPECT_THAT(std::string(CheckCluster(cluster, 4).message()), HasSubstr("--algorithm: "));
  cluster = SmallCluster("");
  cluster.mutable_inter_host()->set_bytes_per_second(-1);
  EXPECT_EQ(CheckCluster(cluster, 4).code(), absl::StatusCode::kInvalidArgument);
  cluster = SmallCluster("");
  cluster.set_devices_per_host(0);
  EXPECT_EQ(CheckCluster(cluster, 4).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
