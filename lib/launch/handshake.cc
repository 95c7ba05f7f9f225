#include "lib/launch/handshake.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kGreetingBytes = 8 + kNonceBytes;

// Labels for the values derived from the secret and both nonces. Their lengths differ, so that a label with nonces
// never has the same bytes as another label with other nonces.
constexpr char kConnectProof[] = "connect";
constexpr char kListenProof[] = "listen";
constexpr char kConnectKey[] = "key of connect";
constexpr char kListenKey[] = "key of listen";

}  // namespace

Handshake::Handshake(Side side, const RunSecret& secret, std::string nonce)
    : side_(side), secret_(secret), nonce_(std::move(nonce)) {
  if (side_ == Side::kConnecting) {
    connecting_nonce_ = nonce_;
    output_ = absl::StrCat(kHandshakeMagic, nonce_);
  } else {
    listening_nonce_ = nonce_;
  }
}

std::string Handshake::TakeOutput() { return std::exchange(output_, ""); }

size_t Handshake::BytesNeeded() const {
  return !state_.ok() || proven_ ? 0 : (greeted_ ? kDigestBytes : kGreetingBytes) - received_.size();
}

// Returns the digest of the label and both nonces. Returns an empty text, which SameDigest never accepts, if there is
// no secret because OpenSSL refused to derive it.
std::string Handshake::Digest(absl::string_view label) const {
  return secret_.bytes().size() == kDigestBytes
             ? HmacSha256OfParts(secret_.bytes(), {label, connecting_nonce_, listening_nonce_})
             : "";
}

// Reads the magic and the nonce. The magic is checked byte by byte, so that the first wrong byte of another program
// ends the connection.
absl::Status Handshake::TakeGreeting() {
  const absl::string_view magic = absl::string_view(received_).substr(0, kHandshakeMagic.size());
  if (!absl::StartsWith(kHandshakeMagic, magic)) {
    return absl::UnauthenticatedError("the other end does not speak Lockstep's protocol of this version");
  }
  if (received_.size() < kGreetingBytes) {
    return absl::OkStatus();
  }
  std::string& nonce = side_ == Side::kConnecting ? listening_nonce_ : connecting_nonce_;
  nonce = received_.substr(kHandshakeMagic.size());
  output_ = side_ == Side::kConnecting ? Digest(kConnectProof) : absl::StrCat(kHandshakeMagic, nonce_);
  received_.clear();
  greeted_ = true;
  return absl::OkStatus();
}

absl::Status Handshake::TakeProof() {
  if (received_.size() < kDigestBytes) {
    return absl::OkStatus();
  }
  if (!SameDigest(received_, Digest(side_ == Side::kConnecting ? kListenProof : kConnectProof))) {
    return absl::UnauthenticatedError("the other end does not know this run's secret");
  }
  if (side_ == Side::kListening) {
    output_ = Digest(kListenProof);
  }
  received_.clear();
  proven_ = true;
  return absl::OkStatus();
}

absl::StatusOr<bool> Handshake::Consume(absl::string_view& bytes) {
  while (state_.ok() && !proven_ && !bytes.empty()) {
    const size_t count = std::min(BytesNeeded(), bytes.size());
    received_.append(bytes.data(), count);
    bytes.remove_prefix(count);
    state_ = greeted_ ? TakeProof() : TakeGreeting();
  }
  RETURN_IF_ERROR(state_);
  return proven_;
}

SessionKeys Handshake::keys() const {
  std::string connecting = Digest(kConnectKey);
  std::string listening = Digest(kListenKey);
  return side_ == Side::kConnecting ? SessionKeys{std::move(connecting), std::move(listening)}
                                    : SessionKeys{std::move(listening), std::move(connecting)};
}

}  // namespace lockstep
