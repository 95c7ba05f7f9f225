#include "lib/scale_run/traffic_count.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::testing::ElementsAre;

TEST(TrafficCountTest, AddsUpByKind) {
  TrafficCount count;
  count.Add("metrics", 1, 16);
  count.Add(kGradientTraffic, 3, 300);
  count.Add(kGradientTraffic, 1, 100);
  count.Add("nothing yet", 0, 0);
  EXPECT_THAT(count.ToRecords(2), ElementsAre(EqualsProto("kind: 'gradients' calls: 4 size_bytes: 400 steps: 2"),
                                              EqualsProto("kind: 'metrics' calls: 1 size_bytes: 16")));
}

}  // namespace
}  // namespace lockstep
