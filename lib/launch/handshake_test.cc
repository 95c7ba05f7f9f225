#include "lib/launch/handshake.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

const std::string kNonceC(kNonceBytes, 'c');
const std::string kNonceS(kNonceBytes, 's');

RunSecret Secret() { return *RunSecret::FromToken("a token of a run"); }
RunSecret OtherSecret() { return *RunSecret::FromToken("a token of another run"); }

// Passes the output of one side to the other, and returns the result of its Consume.
absl::StatusOr<bool> Deliver(Handshake& from, Handshake& to) {
  const std::string bytes = from.TakeOutput();
  absl::string_view rest = bytes;
  return to.Consume(rest);
}

TEST(HandshakeTest, BothSidesProveTheSecretAndHaveTheSameKeys) {
  Handshake connecting(Side::kConnecting, Secret(), kNonceC);
  Handshake listening(Side::kListening, Secret(), kNonceS);
  EXPECT_EQ(listening.TakeOutput(), "");  // the listening side does not send first
  EXPECT_EQ(*Deliver(connecting, listening), false);
  EXPECT_EQ(*Deliver(listening, connecting), false);
  EXPECT_EQ(*Deliver(connecting, listening), true);
  EXPECT_EQ(*Deliver(listening, connecting), true);
  EXPECT_EQ(connecting.keys().send, listening.keys().receive);
  EXPECT_EQ(connecting.keys().receive, listening.keys().send);
  EXPECT_NE(connecting.keys().send, connecting.keys().receive);
  EXPECT_EQ(connecting.keys().send.size(), kDigestBytes);
}

TEST(HandshakeTest, EachByteMayComeByItself) {
  Handshake connecting(Side::kConnecting, Secret(), kNonceC);
  Handshake listening(Side::kListening, Secret(), kNonceS);
  bool proven[2] = {false, false};
  for (int turn = 0; turn < 4; ++turn) {
    Handshake& from = turn % 2 == 0 ? connecting : listening;
    Handshake& to = turn % 2 == 0 ? listening : connecting;
    for (const char c : from.TakeOutput()) {
      absl::string_view one(&c, 1);
      const auto done = to.Consume(one);
      ASSERT_THAT(done, IsOk());
      proven[turn % 2] = *done;
    }
  }
  EXPECT_TRUE(proven[0] && proven[1]);
}

TEST(HandshakeTest, TheListeningSideSendsNothingToOtherPrograms) {
  Handshake listening(Side::kListening, Secret(), kNonceS);
  absl::string_view request = "GET / HTTP/1.1\r\n\r\n";
  EXPECT_THAT(listening.Consume(request), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("does not speak")));
  EXPECT_EQ(listening.TakeOutput(), "");
  EXPECT_EQ(listening.BytesNeeded(), 0u);
  absl::string_view empty;
  EXPECT_THAT(listening.Consume(empty), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("does not speak")));
}

TEST(HandshakeTest, rendezvous_stranger_with_guessed_run_name) {
  Handshake stranger(Side::kConnecting, OtherSecret(), kNonceC);
  Handshake listening(Side::kListening, Secret(), kNonceS);
  EXPECT_THAT(Deliver(stranger, listening), IsOk());
  EXPECT_THAT(Deliver(listening, stranger), IsOk());
  EXPECT_THAT(Deliver(stranger, listening), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("secret")));
  EXPECT_EQ(listening.TakeOutput(), "");
}

TEST(HandshakeTest, fake_leader_verdict) {
  Handshake connecting(Side::kConnecting, Secret(), kNonceC);
  connecting.TakeOutput();
  const std::string greeting = absl::StrCat(kHandshakeMagic, kNonceS);
  absl::string_view rest = greeting;
  ASSERT_THAT(connecting.Consume(rest), IsOk());
  const std::string own = connecting.TakeOutput();
  rest = own;  // own proof, sent back
  EXPECT_THAT(connecting.Consume(rest), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("secret")));
}

TEST(HandshakeTest, rendezvous_replayed_handshake_is_let_in) {
  Handshake connecting(Side::kConnecting, Secret(), kNonceC);
  Handshake first(Side::kListening, Secret(), kNonceS);
  const std::string greeting = connecting.TakeOutput();
  absl::string_view rest = greeting;
  ASSERT_THAT(first.Consume(rest), IsOk());
  ASSERT_THAT(Deliver(first, connecting), IsOk());
  const std::string proof = connecting.TakeOutput();
  Handshake second(Side::kListening, Secret(), std::string(kNonceBytes, 't'));
  const std::string recorded = absl::StrCat(greeting, proof);
  rest = recorded;
  EXPECT_THAT(second.Consume(rest), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("secret")));
}

TEST(HandshakeTest, TakesNoMoreThanItWants) {
  Handshake listening(Side::kListening, Secret(), kNonceS);
  EXPECT_EQ(listening.BytesNeeded(), 40u);
  const std::string flood = absl::StrCat(kHandshakeMagic, std::string(1000, 'x'));
  absl::string_view rest = flood;
  EXPECT_THAT(listening.Consume(rest), StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("secret")));
  EXPECT_EQ(rest.size(), flood.size() - kHandshakeBytes);
}

}  // namespace
}  // namespace lockstep
