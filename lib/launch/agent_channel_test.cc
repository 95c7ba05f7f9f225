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

// Both ends of one proven connection.
struct Ends {
  SecureSocket near;
  SecureSocket far;
};

Ends Connect() {
  int fds[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
  const std::string there(kDigestBytes, 't');
  const std::string back(kDigestBytes, 'b');
  return {{TcpSocket(fds[0]), {there, back}}, {TcpSocket(fds[1]), {back, there}}};
}

proto::AgentMessage Order(size_t payload_bytes) {
  proto::AgentMessage message;
  proto::AgentOrder& order = *message.mutable_order();
  order.set_size(1);
  order.set_local_size(1);
  order.set_store_port(1);
  order.set_point(1);
  order.set_task("task");
  order.set_timeout_seconds(1);
  order.set_payload(std::string(payload_bytes, 'x'));
  return message;
}

// Waits for the next message of the channel and returns it.
proto::AgentMessage Next(AgentChannel& channel) {
  proto::AgentMessage message;
  const MonotonicTime deadline = MonotonicTime::Now() + kTimeout;
  while (!channel.Take(message) && MonotonicTime::Now() < deadline) {
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
  for (const MonotonicTime end = MonotonicTime::Now() + 2 * kTimeout; MonotonicTime::Now() < end;
       absl::SleepFor(kTimeout / 20)) {
    near.SendHeartbeat();
    ASSERT_THAT(far.Receive(), IsOk());
  }
  const MonotonicTime start = MonotonicTime::Now();
  while (far.Receive().ok()) {
    absl::SleepFor(absl::Milliseconds(5));
  }
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no message for 1s")));
  EXPECT_GT(MonotonicTime::Now() - start, kTimeout * 0.8);
  EXPECT_LT(MonotonicTime::Now() - start, kTimeout * 3);
}

// Sends bytes of an attacker between the two ends, who does not have the keys, and expects an error.
void ExpectRefused(const std::string& bytes, const std::string& says) {
  Ends ends = Connect();
  AgentChannel far(std::move(ends.far), kTimeout);
  ASSERT_THAT(SendAll(ends.near.socket, bytes, MonotonicTime::Now() + kTimeout), IsOk());
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(says)));
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(says)));
}

TEST(AgentChannelTest, WhatIsNotSealedIsRefused) {
  ExpectRefused("GET / HTTP/1.1\r\n\r\n", "found 1195725856");
  proto::AgentMessage verdict;
  verdict.mutable_verdict()->set_exit_code(0);
  ExpectRefused(FrameSealer(std::string(kDigestBytes, 'x')).Seal(verdict.SerializeAsString()), "forged");
}

// Both processes once read such a stream without end and did not check for a stop signal.
TEST(AgentChannelTest, fake_leader_zero_frames_flood) { ExpectRefused(std::string(100'000, '\0'), "found 0"); }

TEST(AgentChannelTest, AMessageThatNoProcessSendsIsRefused) {
  Ends ends = Connect();
  FrameSealer sealer(ends.near.keys.send);
  AgentChannel far(std::move(ends.far), kTimeout);
  proto::AgentMessage verdict;
  verdict.mutable_verdict()->set_exit_code(-1);
  ASSERT_THAT(SendAll(ends.near.socket, sealer.Seal(verdict.SerializeAsString()), MonotonicTime::Now() + kTimeout),
              IsOk());
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("verdict.exit_code")));
}

// A call reads one message even if more are available, so that its caller can check for a stop signal.
TEST(AgentChannelTest, ACallReadsOneMessage) {
  Ends ends = Connect();
  AgentChannel near(std::move(ends.near), kTimeout);
  AgentChannel far(std::move(ends.far), kTimeout);
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(near.Send(Order(10)), IsOk());
  }
  proto::AgentMessage message;
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(far.Receive(), IsOk());
    ASSERT_THAT(far.Receive(), IsOk());
    EXPECT_TRUE(far.Take(message));
    EXPECT_FALSE(far.Take(message));
  }
}

TEST(AgentChannelTest, AMessageBeyondTheLimitIsRefused) {
  Ends ends = Connect();
  AgentChannel near(std::move(ends.near), kTimeout);
  AgentChannel far(std::move(ends.far), kTimeout, kMaxDescriptionBytes);
  ASSERT_THAT(near.Send(Order(kMaxDescriptionBytes)), IsOk());
  EXPECT_THAT(far.Receive(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("1 to 65536 bytes")));
  EXPECT_THAT(near.Send(Order(kMaxAgentMessageBytes)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("67108864")));
}

TEST(AgentChannelTest, WhoTakesNothingIsGoneAfterTheTimeout) {
  Ends ends = Connect();
  AgentChannel near(std::move(ends.near), kTimeout);
  absl::Status sent;
  for (int i = 0; i < 100 && sent.ok(); ++i) {
    sent = near.Send(Order(1 << 20));
  }
  EXPECT_THAT(sent, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("accepts no more data")));
}

}  // namespace
}  // namespace lockstep
