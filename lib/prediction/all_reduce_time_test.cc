#include "lib/prediction/all_reduce_time.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::HasSubstr;

AllReduceCurve Affine(uint32_t ranks, double alpha, double beta) {
  return {ranks, [=](double bytes) { return Known(alpha + beta * bytes); }};
}

// Returns "ranks: alpha" of the curves for runs with these properties, from curves of all kinds.
std::string Chosen(GpuPath path, uint32_t hosts, const std::vector<AllReduceCurve>& curves) {
  ScalingTimes times;
  times.gpu_path = path;
  times.times.emplace_back().hosts = hosts;
  std::string text;
  for (const AllReduceCurve& curve : CurvesFor(times, curves)) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", curve.ranks, ": ", curve.seconds(0)->value);
  }
  return text;
}

TEST(CurvesForTest, ARunGetsTheAllReducesOfItsPathAndHosts) {
  AllReduceCurve nccl = Affine(2, 1, 0), peers = Affine(2, 2, 0), nccl_over_hosts = Affine(2, 3, 0);
  peers.by_peers = true;
  nccl_over_hosts.over_hosts = true;
  for (const auto& curves : {std::vector{nccl, peers, nccl_over_hosts}, std::vector{nccl_over_hosts, peers, nccl}}) {
    EXPECT_EQ(Chosen(GpuPath::kNccl, 1, curves), "2: 1");
    EXPECT_EQ(Chosen(GpuPath::kUnknown, 0, curves), "2: 1");
    EXPECT_EQ(Chosen(GpuPath::kPeerMemory, 1, curves), "2: 2");
    EXPECT_EQ(Chosen(GpuPath::kNccl, 2, curves), "2: 3");
    EXPECT_EQ(Chosen(GpuPath::kPeerMemory, 2, curves), "2: 3");
  }
  EXPECT_EQ(Chosen(GpuPath::kPeerMemory, 1, {nccl}), "2: 1") << "there is no other";
  EXPECT_EQ(Chosen(GpuPath::kNccl, 2, {nccl}), "2: 1") << "there is no other";
  EXPECT_EQ(Chosen(GpuPath::kNccl, 1, {peers, nccl_over_hosts}), "") << "a network is no host";
}

TEST(CurvesForTest, EachNumberOfRanksHasOne) {
  AllReduceCurve peers = Affine(4, 2, 0);
  peers.by_peers = true;
  EXPECT_EQ(Chosen(GpuPath::kPeerMemory, 1, {Affine(4, 1, 0), peers, Affine(2, 3, 0)}), "2: 3, 4: 2");
}

TEST(AllReduceTimeTest, OneDeviceNeedsNone) { EXPECT_EQ(AllReduceTime({}, {}).Seconds(1, 1e6)->value, 0); }

TEST(AllReduceTimeTest, NothingMeasuredNothingKnown) {
  const AllReduceTime time({}, {});
  EXPECT_TRUE(time.empty());
  EXPECT_EQ(time.Seconds(4, 1e6).status().code(), absl::StatusCode::kNotFound);
}

TEST(AllReduceTimeTest, AFitOfTheseRanksIsTaken) {
  const AllReduceTime time({Affine(2, 1, 1), Affine(4, 2, 3)}, {{4, 10, Known(1000)}});
  ASSERT_THAT(time.Seconds(4, 10), IsOk());
  EXPECT_DOUBLE_EQ(time.Seconds(4, 10)->value, 32);
  EXPECT_EQ(time.Seconds(4, 10)->variance, 0);
  EXPECT_EQ(time.Basis(4), "a fit of the all-reduce on 4 devices");
}

TEST(AllReduceTimeTest, FewerRanksGetARingsRatio) {
  const AllReduceTime time({Affine(2, 1, 1)}, {});
  // (3/4)/(1/2) = 1.5 times; the uncertainty is the range from 1 to 1.5 times.
  EXPECT_DOUBLE_EQ(time.Seconds(4, 9)->value, 15);
  EXPECT_DOUBLE_EQ(time.Seconds(4, 9)->variance, 5.0 * 5 / 12);
  EXPECT_THAT(time.Basis(4), HasSubstr("on 2 devices, times a ring's ratio"));
}

// Two ranks send the same either way. Of four ranks each sends three times the gradient; a ring of four sends it 1.5
// times, a ring of two once.
TEST(AllReduceTimeTest, WholeCopiesGrowWithTheRanks) {
  const AllReduceTime from_two({Affine(2, 1, 1)}, {}, "", Sending::kWholeCopies);
  EXPECT_DOUBLE_EQ(from_two.Seconds(2, 9)->value, 10);
  EXPECT_EQ(from_two.Seconds(2, 9)->variance, 0);
  EXPECT_EQ(from_two.Basis(2), "a fit of the all-reduce on 2 devices");
  EXPECT_DOUBLE_EQ(from_two.Seconds(4, 9)->value, 30);
  EXPECT_DOUBLE_EQ(from_two.Seconds(4, 9)->variance, 20.0 * 20 / 12);
  EXPECT_THAT(from_two.Basis(4), HasSubstr("on 2 devices, times the ratio of whole copies to a ring"));
  const AllReduceTime from_four({Affine(4, 1, 1)}, {}, "", Sending::kWholeCopies);
  EXPECT_DOUBLE_EQ(from_four.Seconds(4, 9)->value, 20);
}

TEST(AllReduceTimeTest, MoreRanksPredictNothingForFewer) {
  EXPECT_EQ(AllReduceTime({Affine(4, 1, 1)}, {}).Seconds(2, 9).status().code(), absl::StatusCode::kNotFound);
}

TEST(AllReduceTimeTest, AProbeGivesItsShareOfBytes) {
  const AllReduceTime time({}, {{2, 100, Known(10)}, {2, 1000, Known(50)}});
  EXPECT_DOUBLE_EQ(time.Seconds(2, 100)->value, 10);
  EXPECT_DOUBLE_EQ(time.Seconds(2, 50)->value, 5);    // share of the 100 bytes
  EXPECT_DOUBLE_EQ(time.Seconds(2, 600)->value, 30);  // share of the 1000 bytes
  EXPECT_GT(time.Seconds(2, 50)->variance, 0);        // its latency is not known
}

}  // namespace
}  // namespace lockstep
