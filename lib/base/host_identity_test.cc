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

// Without free descriptors a process cannot read its boot id. That is no other host.
TEST(HostIdentityTest, AnUnknownBootIdIsNotCompared) {
  const HostIdentity host = {"boot", "net:[1]", "0"};
  EXPECT_EQ(HostDifference({"", "net:[1]", "0"}, host), "");
  EXPECT_EQ(HostDifference(host, {"", "net:[1]", "0"}), "");
  EXPECT_EQ(HostDifference(host, {"", "net:[2]", "0"}), "in different network namespaces");
  EXPECT_EQ(HostDifference(host, {"", "net:[1]", "1"}), "on different virtual hosts (LOCKSTEP_HOST_OF_RANK)");
}

TEST(HostIdentityTest, AKeyIsReadBack) {
  for (const HostIdentity& host : {HostIdentity{"boot", "net:[1]", "0"}, HostIdentity{"boot", "", ""},
                                   HostIdentity{"", "", "7"}, HostIdentity{}, ThisHost()}) {
    const std::optional<HostIdentity> read = ParseHostKey(HostKey(host));
    ASSERT_TRUE(read.has_value()) << HostKey(host);
    EXPECT_EQ(read->boot_id, host.boot_id);
    EXPECT_EQ(read->network, host.network);
    EXPECT_EQ(read->virtual_host, host.virtual_host);
  }
  EXPECT_FALSE(ParseHostKey("").has_value());
  EXPECT_FALSE(ParseHostKey("boot net:[1]").has_value());
  EXPECT_FALSE(ParseHostKey("boot net:[1] 0 1").has_value());
}

}  // namespace
}  // namespace lockstep
