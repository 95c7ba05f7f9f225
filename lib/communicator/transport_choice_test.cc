#include "lib/communicator/transport_choice.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(TransportChoiceTest, OneHostSharesItsMemory) {
  EXPECT_EQ(ChooseTransport(HostTopology({"a", "a"})).transport, Transport::kSharedMemory);
  EXPECT_EQ(ChooseTransport(HostTopology({"a"})).transport, Transport::kSharedMemory);
}

TEST(TransportChoiceTest, EqualHostsAreHierarchical) {
  for (const auto& hosts : {HostTopology({"a", "a", "b", "b"}), HostTopology({"a", "b", "c", "a", "c", "b"})}) {
    const TransportChoice choice = ChooseTransport(hosts);
    EXPECT_EQ(choice.transport, Transport::kHierarchical);
    EXPECT_EQ(choice.why, "");
  }
}

TEST(TransportChoiceTest, UnequalHostsFallBackWithAReason) {
  const TransportChoice choice = ChooseTransport(HostTopology({"a", "a", "b"}));
  EXPECT_EQ(choice.transport, Transport::kGloo);
  EXPECT_EQ(choice.why, "shared memory within hosts needs equally many ranks on each, found 2 hosts of 1 to 2 ranks");
}

TEST(TransportChoiceTest, SingleRanksNeedNoReason) {
  const TransportChoice choice = ChooseTransport(HostTopology({"a", "b", "c"}));
  EXPECT_EQ(choice.transport, Transport::kGloo);
  EXPECT_EQ(choice.why, "");
}

}  // namespace
}  // namespace lockstep
