// Handshake: mutual proof that both ends of a new connection know the same secret, before any other message. Does not
// depend on sockets.
//
//   connecting side -> listening side   magic (8 bytes) | nonce c (32)
//   listening side -> connecting side   magic | nonce s (32)               only after the right magic
//   connecting side -> listening side   HMAC(K, "connect" | c | s)
//   listening side -> connecting side   HMAC(K, "listen" | c | s)          only after the right proof
//
// Both proofs depend on a fresh nonce of each side, so a recorded proof cannot be replayed. The two proofs differ, so
// one cannot be sent back as the other. A side reads at most kHandshakeBytes from an unproven other end. After the
// handshake, both sides have keys for all further messages (sealed_frames.h); an attacker who relays a proof does not
// have them.
#ifndef LOCKSTEP_LIB_LAUNCH_HANDSHAKE_H_
#define LOCKSTEP_LIB_LAUNCH_HANDSHAKE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

// First bytes of every connection: name and version of this protocol.
inline constexpr absl::string_view kHandshakeMagic = {"LOCKSTP1", 8};

inline constexpr size_t kNonceBytes = 32;

// Bytes that each side sends in a handshake.
inline constexpr size_t kHandshakeBytes = 8 + kNonceBytes + kDigestBytes;

enum class Side { kConnecting, kListening };

// Keys of the two directions of a connection, named from one end's view. Each has kDigestBytes.
struct SessionKeys {
  std::string send;
  std::string receive;
};

// Not thread-safe.
class Handshake {
 public:
  // `nonce` must be kNonceBytes of RandomBytes that are used for this connection only.
  Handshake(Side side, const RunSecret& secret, std::string nonce);

  // Returns the bytes that must be sent now, and only once; may be empty.
  std::string TakeOutput();

  // Removes the bytes of the handshake from the front of `bytes`. Returns true once the other end has proven that it
  // knows the secret; the output of TakeOutput must still be sent. Returns UnauthenticatedError, now and in each later
  // call, if the other end is not a process of Lockstep or does not know the secret.
  absl::StatusOr<bool> Consume(absl::string_view& bytes);

  // Returns the number of bytes that Consume still needs. At most this number may be read from a socket. Returns 0
  // after Consume has returned true or an error.
  size_t BytesNeeded() const;

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
  std::string received_;  // received part of the greeting, then of the proof
  std::string output_;
  bool greeted_ = false;
  bool proven_ = false;
  absl::Status state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_HANDSHAKE_H_
