// Mutual proof that both ends of a new connection know one secret, before anything else is said. Knows no sockets.
//
//   connecting side -> listening side   magic (8 bytes) | nonce c (32)
//   listening side -> connecting side   magic | nonce s (32)               only after the right magic
//   connecting side -> listening side   HMAC(K, "connect" | c | s)
//   listening side -> connecting side   HMAC(K, "listen" | c | s)          only after the right proof
//
// A fresh nonce of each side goes into both proofs, so a recorded proof is worth nothing, and the two proofs differ, so
// one cannot be sent back as the other. A side takes kHandshakeBytes from a peer that has proven nothing, and no more.
// Both sides then have keys for what they say from here on (sealed_frames.h): who relays a proof does not have them.
#ifndef LOCKSTEP_LIB_LAUNCH_HANDSHAKE_H_
#define LOCKSTEP_LIB_LAUNCH_HANDSHAKE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

// Begins every connection: what it is, and the version of this exchange.
inline constexpr absl::string_view kHandshakeMagic = {"LOCKSTP1", 8};

inline constexpr size_t kNonceBytes = 32;

// Bytes that each side sends.
inline constexpr size_t kHandshakeBytes = 8 + kNonceBytes + kDigestBytes;

enum class Side { kConnecting, kListening };

// Keys of the two directions of a connection, as one of its ends names them: each kDigestBytes.
struct SessionKeys {
  std::string send;
  std::string receive;
};

// Not thread-safe.
class Handshake {
 public:
  // `nonce` must be kNonceBytes of RandomBytes, of this connection alone.
  Handshake(Side side, const RunSecret& secret, std::string nonce);

  // Returns what must be sent now, once; empty if nothing must.
  std::string TakeOutput();

  // Takes bytes from the front of `bytes`, and leaves what it does not want. Returns true once the other end has proven
  // that it knows the secret; what TakeOutput then returns must still be sent. UnauthenticatedError, then and in each
  // later call, if the other end is no process of Lockstep or does not know the secret.
  absl::StatusOr<bool> Consume(absl::string_view& bytes);

  // Returns how many bytes Consume would take: of a socket no more must be read. 0 once it has returned true or failed.
  size_t Wanted() const;

  // Returns the keys of the connection. Consume must have returned true.
  SessionKeys keys() const;

 private:
  absl::Status TakeGreeting();
  absl::Status TakeProof();
  std::string Digest(absl::string_view label) const;

  const Side side_;
  const RunSecret secret_;
  const std::string nonce_;
  std::string connecting_nonce_;
  std::string listening_nonce_;
  std::string received_;  // bytes of the greeting, then of the proof
  std::string output_;
  bool greeted_ = false;
  bool proven_ = false;
  absl::Status state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_HANDSHAKE_H_
