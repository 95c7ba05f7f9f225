// Secret of one run: 32 bytes that only its own processes know, and the digests by which they prove that they know it.
//
// A process never sends the secret, and no code prints it. Every use must derive its own key from the secret (Derive),
// so that a proof for one purpose is useless for another. HMAC and SHA-256 are those of OpenSSL.
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

// Size in bytes of an HMAC-SHA256, of a secret and of every key.
inline constexpr size_t kDigestBytes = 32;

// Minimum length of a token that a person chooses. `openssl rand -hex 32` prints 64 characters.
inline constexpr size_t kMinTokenCharacters = 16;

class RunSecret {
 public:
  // The next three functions return UnavailableError if OpenSSL on this machine has no HMAC-SHA256.

  // Returns a secret of 32 bytes from the kernel's random number generator. Errors are those of RandomBytes.
  static absl::StatusOr<RunSecret> Random();

  // Returns SHA-256 of `token`. Returns InvalidArgumentError if `token` has fewer than kMinTokenCharacters.
  static absl::StatusOr<RunSecret> FromToken(absl::string_view token);

  // Parses the result of Hex. Returns InvalidArgumentError, without the text, if `hex` is not 64 hex digits.
  static absl::StatusOr<RunSecret> FromHex(absl::string_view hex);

  // Returns 64 lower-case hex digits, for a child's environment or torchrun's store. They must not be part of a
  // message.
  std::string Hex() const;

  // Returns HMAC-SHA256(secret, purpose), the secret of one part of the run. It does not reveal this secret.
  RunSecret Derive(absl::string_view purpose) const;

  const std::string& bytes() const { return bytes_; }

 private:
  explicit RunSecret(std::string bytes) : bytes_(std::move(bytes)) {}

  std::string bytes_;  // kDigestBytes
};

// Returns HMAC-SHA256 of `message`, or of the concatenation of `parts`. Returns an empty text, which SameDigest never
// accepts, if OpenSSL refuses.
std::string HmacSha256(absl::string_view key, absl::string_view message);
std::string HmacSha256OfParts(absl::string_view key, std::initializer_list<absl::string_view> parts);

// Returns true if two digests are equal, in a time that does not depend on where they differ. Returns false if one does
// not have kDigestBytes.
bool SameDigest(absl::string_view a, absl::string_view b);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RUN_SECRET_H_
