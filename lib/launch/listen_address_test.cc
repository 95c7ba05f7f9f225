#include "lib/launch/listen_address.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/launch/tcp_socket.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;

RendezvousEndpoint At(const std::string& host) {
  RendezvousEndpoint endpoint;
  endpoint.host = host;
  endpoint.port = 29500;
  return endpoint;
}

LaunchPlace Place(bool one_host) {
  LaunchPlace place;
  place.size = 2;
  place.one_host = one_host;
  return place;
}

TEST(ListenAddressTest, rendezvous_on_one_host_binds_loopback_only) {
  for (const std::string host : {"127.0.0.1", "node7", "10.0.0.1"}) {
    EXPECT_EQ(ListenAddress(Place(true), At(host), ""), "127.0.0.1");
  }
}

TEST(ListenAddressTest, ALoopbackEndpointIsReachedFromNowhereElse) {
  EXPECT_EQ(ListenAddress(Place(false), At("127.0.0.1"), ""), "127.0.0.1");
  EXPECT_EQ(ListenAddress(Place(false), At("localhost"), "eth0"), "127.0.0.1");
  EXPECT_EQ(ListenAddress(Place(false), At("::1"), ""), "::1");
}

TEST(ListenAddressTest, TheEndpointsOwnAddress) {
  const std::set<std::string> own = OwnAddresses("");
  if (own.empty()) {
    GTEST_SKIP() << "this host has a loopback device only";
  }
  for (const std::string& address : own) {
    EXPECT_EQ(ListenAddress(Place(false), At(address), ""), address);
    EXPECT_THAT(ListenOn(address, 0), IsOk());
  }
}

// No host has an address in 192.0.2.0/24 (RFC 5737).
TEST(ListenAddressTest, AnAddressOfAnotherHostLeavesTheDeviceOrAll) {
  EXPECT_EQ(ListenAddress(Place(false), At("192.0.2.1"), ""), "");
  EXPECT_EQ(ListenAddress(Place(false), At("192.0.2.1"), "none0"), "");
}

TEST(OwnAddressesTest, AnUnknownDeviceHasNone) {
  EXPECT_TRUE(OwnAddresses("none0").empty());
  EXPECT_TRUE(OwnAddresses("lo").empty());
}

}  // namespace
}  // namespace lockstep
