#include "lib/comm_model/options.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kUsage = absl::StatusCode::kInvalidArgument;

TEST(CommModelOptionsTest, EachInputAloneIsEnough) {
  CommModelOptions options;
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("nothing to explain")));
  options.scale_paths = {"scale.rec"};
  EXPECT_THAT(CheckCommModelOptions(options), IsOk());
  options = CommModelOptions();
  options.audit_paths = {"hand_in.textproto"};
  EXPECT_THAT(CheckCommModelOptions(options), IsOk());
  options = CommModelOptions();
  options.times_paths = {"table.csv"};
  EXPECT_THAT(CheckCommModelOptions(options), IsOk());
  options = CommModelOptions();
  options.all_reduce_paths = {"nccl.json"};
  EXPECT_THAT(CheckCommModelOptions(options), IsOk());
}

TEST(CommModelOptionsTest, PredictionsStartFromTimes) {
  CommModelOptions options;
  options.audit_paths = {"hand_in.textproto"};
  options.predict_ranks = {4};
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--predict_ranks starts from times")));
  options.predict_ranks.clear();
  options.what_if.devices = {8};
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--what_if starts from times")));
  options.what_if.devices.clear();
  options.fit_ranks = 2;
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--fit_ranks starts from times")));
  options.times_paths = {"table.csv"};
  EXPECT_THAT(CheckCommModelOptions(options), IsOk());
}

TEST(CommModelOptionsTest, WhatBelongsToAScaleRecordNeedsOne) {
  CommModelOptions options;
  options.times_paths = {"table.csv"};
  options.sweep_path = "sweep.rec";
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--sweep")));
  options.sweep_path.clear();
  options.score_path = "earlier.rec";
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--score")));
}

TEST(CommModelOptionsTest, NumbersThatAreNoneAreNamed) {
  CommModelOptions options;
  options.scale_paths = {"scale.rec"};
  options.predict_ranks = {4, 0};
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--predict_ranks")));
  options.predict_ranks.clear();
  options.what_if.link_factors = {2, -1};
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--what_if_link_factor=-1")));
  options.what_if.link_factors.clear();
  options.what_if.bucket_mib = {0};
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--what_if_bucket_mib=0")));
  options.what_if.bucket_mib.clear();
  options.nominal_link_gigabytes_per_second = std::nan("");
  EXPECT_THAT(CheckCommModelOptions(options), StatusIs(kUsage, HasSubstr("--nominal_link_gigabytes_per_second")));
}

TEST(CommModelOptionsTest, EveryFlagThatChangesTheResultIsInTheKey) {
  CommModelOptions options;
  const auto before = ResultFlags(options);
  options.fit_ranks = 2;
  options.predict_ranks = {4};
  options.predict_batches = {32, 64};
  options.what_if.devices = {8};
  options.what_if.batches = {16};
  options.what_if.exchanges = {Exchange::kFlat};
  options.what_if.bucket_mib = {1};
  options.what_if.gradient_bytes = {2};
  options.what_if.link_factors = {4};
  options.what_if.cluster.set_algorithm("ring");
  options.nominal_link_gigabytes_per_second = 450;
  const auto after = ResultFlags(options);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [flag, value] : before) {
    EXPECT_NE(after.at(flag), value) << flag;
  }
  EXPECT_EQ(after.at("predict_batch"), "32,64");
}

TEST(MakeClusterTest, LeavesUnsetWhatNoFlagGives) {
  EXPECT_THAT(MakeCluster(0, "", {}, {}), EqualsProto(""));
  EXPECT_THAT(
      MakeCluster(8, "ring", {450, 0}, {0, 1}),
      EqualsProto("devices_per_host: 8 algorithm: 'ring' intra_host { bytes_per_second: 450e9 source: 'flags' } "
                  "inter_host { latency_seconds: 1e-6 }"));
}

}  // namespace
}  // namespace lockstep
