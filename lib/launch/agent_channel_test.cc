#include "lib/launch/agent_channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(1);

// Both ends of one connection of this host.
struct Ends {
  TcpSocket near;
  TcpSocket far;
};

Ends Connect() {
  const absl::StatusOr<TcpSocket> listener = ListenOn(0);
  EXPECT_THAT(listener, IsOk());
  absl::StatusOr<TcpSocket> near = ConnectTo("127.0.0.1", LocalPort(*listener), absl::Now() + kTimeout);
  EXPECT_THAT(near, IsOk());
  return {*std::move(near), Accept(*listener, kTimeout)};
}

proto::AgentMessage Order(size_t payload_bytes) {
  proto::AgentMessage message;
  message.mutable_order()->set_payload(std::string(payload_bytes, 'x'));
  return message;
}

// The next message of the channel, waiting for it.
proto::AgentMessage Next(AgentChannel& channel) {
  proto::AgentMessage message;
  const absl::Time deadline = absl::Now() + kTimeout;
  while (!channel.Take(message) && absl::Now() < deadline) {
    EXPECT_THAT(channel.Receive(), IsOk());
    absl::SleepFor(absl::Milliseconds(1));
  }
  return message;
}

TEST(AgentChannelTest, MessagesComeWholeAndInOrder) {
  Ends ends = Connect();
  AgentChannel near(std::move(ends.near), kTimeout);
  AgentChannel far(std::move(ends.far), kTimeout);
  for (const size_t bytes : {0u, 1u, 100'000u}) {
    ASSERT_THAT(near.Send(Order(bytes)), IsOk());
  }
  for (const size_t bytes : {0u, 1u, 100'000u}) {
    EXPECT_EQ(Next(far).order().payload().size(), bytes);
  }
}

TEST(AgentChannelTest, WhatWasSentBeforeTheEndIsStillThere) {
  Ends ends = Connect();
  AgentChannel far(std::move(ends.far), kTimeout);
  {
    AgentChannel near(std::move(ends.near), kTimeout);
    ASSERT_THAT(near.Send(Order(7)), IsOk());
  }
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(Next(far).order().payload().size(), 7u);
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("closed")));
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("closed")));
}

TEST(AgentChannelTest, SilenceIsSeenAfterTheTimeoutAndBeatsPreventIt) {
  Ends ends = Connect();
  AgentChannel near(std::move(ends.near), kTimeout);
  AgentChannel far(std::move(ends.far), kTimeout);
  for (const absl::Time end = absl::Now() + 2 * kTimeout; absl::Now() < end; absl::SleepFor(kTimeout / 20)) {
    near.Beat();
    ASSERT_THAT(far.Receive(), IsOk());
  }
  const absl::Time start = absl::Now();
  while (far.Receive().ok()) {
    absl::SleepFor(absl::Milliseconds(5));
  }
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("silent for 1s")));
  EXPECT_GT(absl::Now() - start, kTimeout * 0.8);
  EXPECT_LT(absl::Now() - start, kTimeout * 3);
}

TEST(AgentChannelTest, AStrangerIsRefused) {
  Ends ends = Connect();
  AgentChannel far(std::move(ends.far), kTimeout);
  const std::string request = "GET / HTTP/1.1\r\n\r\n";
  ASSERT_EQ(send(ends.near.fd(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found 1195725856")));
}

TEST(AgentChannelTest, WhoTakesNothingIsGoneAfterTheTimeout) {
  Ends ends = Connect();
  AgentChannel near(std::move(ends.near), kTimeout);
  absl::Status sent;
  for (int i = 0; i < 100 && sent.ok(); ++i) {
    sent = near.Send(Order(1 << 20));
  }
  EXPECT_THAT(sent, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("took nothing")));
}

}  // namespace
}  // namespace lockstep
