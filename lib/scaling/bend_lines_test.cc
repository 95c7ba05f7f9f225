#include "lib/scaling/bend_lines.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

proto::WhatIfRow Row(uint32_t devices, const std::string& exchange, const std::vector<std::string>& bends) {
  proto::WhatIfRow row;
  row.set_variant("as given");
  row.set_devices(devices);
  row.set_batch_per_device(32);
  row.set_exchange(exchange);
  row.mutable_bend()->Assign(bends.begin(), bends.end());
  return row;
}

TEST(BendLinesTest, ABendThatAllRowsHaveIsOneLine) {
  EXPECT_THAT(BendLines({Row(8, "flat", {"last"}), Row(8, "hierarchical", {"last"}), Row(16, "flat", {"last"})}),
              ElementsAre("N=8, batch 32: last", "N=16, batch 32: last"));
}

TEST(BendLinesTest, ABendOfSomeRowsNamesThem) {
  proto::WhatIfRow faster = Row(8, "flat", {"late"});
  faster.set_variant("links between hosts 2 times as fast");
  EXPECT_THAT(BendLines({Row(8, "flat", {"late"}), Row(8, "hierarchical", {}), faster}),
              ElementsAre("N=8, batch 32, flat and links between hosts 2 times as fast, flat: late"));
}

TEST(BendLinesTest, NoBendsAreNoLines) { EXPECT_THAT(BendLines({Row(8, "flat", {})}), IsEmpty()); }

}  // namespace
}  // namespace lockstep
