// Secret of one run: 32 bytes that only its own processes know, and the digests by which they prove that they know it.
//
// A process never sends the secret, and nothing prints it. Every use takes a key of its own from it (Derive), so that
// what is proven for one purpose is worth nothing for another. HMAC and SHA-256 are OpenSSL's.
#ifndef LOCKSTEP_LIB_LAUNCH_RUN_SECRET_H_
#define LOCKSTEP_LIB_LAUNCH_RUN_SECRET_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Bytes of an HMAC-SHA256, of a secret and of every key.
inline constexpr size_t kDigestBytes = 32;

// Fewest characters of a token that a person chooses. `openssl rand -hex 32` prints 64.
inline constexpr size_t kMinTokenCharacters = 16;

class RunSecret {
 public:
  // Each of these returns ResourceExhaustedError if OpenSSL on this machine has no HMAC-SHA256.

  // Returns 32 bytes of the kernel's random number generator. Errors are those of RandomBytes.
  static absl::StatusOr<RunSecret> Random();

  // Returns SHA-256 of `token`. InvalidArgumentError if it has fewer than kMinTokenCharacters.
  static absl::StatusOr<RunSecret> FromToken(absl::string_view token);

  // Reads what Hex returned. InvalidArgumentError, without the text, if `hex` is not 64 hex digits.
  static absl::StatusOr<RunSecret> FromHex(absl::string_view hex);

  // Returns 64 lower-case hex digits: for a child's environment and for torchrun's store, never for a message.
  std::string Hex() const;

  // Returns HMAC-SHA256(secret, purpose): the secret of one part of the run. Who knows it does not know this one.
  RunSecret Derive(absl::string_view purpose) const;

  const std::string& bytes() const { return bytes_; }

 private:
  explicit RunSecret(std::string bytes) : bytes_(std::move(bytes)) {}

  std::string bytes_;  // kDigestBytes
};

// Returns HMAC-SHA256 of `message`, or of the concatenation of `parts`. Empty if OpenSSL refuses; SameDigest accepts no
// empty digest.
std::string HmacSha256(absl::string_view key, absl::string_view message);
std::string HmacSha256OfParts(absl::string_view key, std::initializer_list<absl::string_view> parts);

// Returns whether two digests of kDigestBytes are the same, in a time that does not tell where they differ. False if one
// has another length.
bool SameDigest(absl::string_view a, absl::string_view b);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RUN_SECRET_H_
