#include "lib/scaling/virtual_hosts_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(VirtualHostsTextTest, DescribesAllRanksOfTheRun) {
  proto::ScaleSpec spec;
  EXPECT_EQ(VirtualHostsText(spec), "");
  for (const uint32_t host : {0, 0, 1, 1}) {
    spec.add_virtual_host(host);
  }
  EXPECT_EQ(VirtualHostsText(spec), "2 virtual hosts of 2 ranks");
  spec.add_virtual_host(2);
  EXPECT_EQ(VirtualHostsText(spec), "3 virtual hosts of 1 to 2 ranks");
}

}  // namespace
}  // namespace lockstep
