#include "lib/scaling/recorded_hosts.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(RecordedHostsTest, HostsOfLaunchersAndVirtualHostsCount) {
  proto::ScaleSpec spec;
  EXPECT_EQ(RecordedHosts(spec, 4).Describe(), "1 host of 4 ranks");
  for (const uint32_t host : {0, 0, 1, 1}) {
    spec.add_virtual_host(host);
  }
  EXPECT_EQ(RecordedHosts(spec, 2).Describe(), "1 host of 2 ranks");
  EXPECT_EQ(RecordedHosts(spec, 4).Describe(), "2 hosts of 2 ranks");
  spec.clear_virtual_host();
  for (const char* host : {"a", "b", "b"}) {
    spec.mutable_launch()->add_host(host);
  }
  EXPECT_EQ(RecordedHosts(spec, 3).Describe(), "2 hosts of 1 to 2 ranks");
  EXPECT_EQ(RecordedHosts(spec, 4).Describe(), "2 hosts of 2 ranks");  // nothing is known about the fourth rank
}

}  // namespace
}  // namespace lockstep
