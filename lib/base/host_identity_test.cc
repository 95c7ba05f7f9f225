#include "lib/base/host_identity.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Also tests that a process is on no virtual host at first, because the virtual host cannot be taken back.
TEST(HostIdentityTest, AVirtualHostIsAnotherHost) {
  EXPECT_FALSE(VirtualHost().has_value());
  const HostIdentity before = ThisHost();
  EXPECT_EQ(before.virtual_host, "");
  EXPECT_EQ(HostKey(ThisHost()), HostKey(before));
  SetVirtualHost(0);
  const HostIdentity first = ThisHost();
  EXPECT_EQ(first.virtual_host, "0");
  EXPECT_EQ(first.boot_id, before.boot_id);
  EXPECT_NE(HostKey(first), HostKey(before));
  SetVirtualHost(1);
  EXPECT_EQ(*VirtualHost(), 1);
  EXPECT_NE(HostKey(ThisHost()), HostKey(first));
}

TEST(HostIdentityTest, EachPartCounts) {
  const HostIdentity host = {"boot", "net:[1]", "0"};
  EXPECT_NE(HostKey({"other", "net:[1]", "0"}), HostKey(host));
  EXPECT_NE(HostKey({"boot", "net:[2]", "0"}), HostKey(host));
  EXPECT_EQ(HostKey({"boot", "net:[1]", "0"}), HostKey(host));
  EXPECT_EQ(HostDifference(host, {"other", "net:[2]", "1"}), "on different hosts");
  EXPECT_EQ(HostDifference(host, {"boot", "net:[2]", "1"}), "in different network namespaces");
  EXPECT_EQ(HostDifference(host, {"boot", "net:[1]", "1"}), "on different virtual hosts (LOCKSTEP_HOST_OF_RANK)");
  EXPECT_EQ(HostDifference(host, {"boot", "net:[1]", ""}), "on different virtual hosts (LOCKSTEP_HOST_OF_RANK)");
  EXPECT_EQ(HostDifference(host, host), "");
}

}  // namespace
}  // namespace lockstep
