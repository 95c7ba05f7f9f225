// SHA-256 and MD5 (OpenSSL) of bytes and files, as lower-case hex. SHA-256 identifies our inputs; MD5 only compares with
// what others have published.
#ifndef LOCKSTEP_LIB_RECORD_DIGEST_H_
#define LOCKSTEP_LIB_RECORD_DIGEST_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns UnavailableError if OpenSSL has no SHA-256 here, as its configuration (OPENSSL_CONF) may have it. Every program
// must ask before it digests anything; DeclareRunFiles and CheckSameRun do. Thread-safe.
absl::Status CheckSha256();

// A running digest. Move-only; not thread-safe. Throws std::bad_alloc if OpenSSL refuses a step, for which memory is the
// only reason once CheckSha256() returned OK: no digest is ever empty.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Update(const void* bytes, size_t size);
  void Update(absl::string_view bytes) { Update(bytes.data(), bytes.size()); }

  // 64 hex digits. Ends the digest: call once, nothing after it.
  std::string HexDigest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same for MD5, which some machines (those in FIPS mode) forbid.
class Md5 {
 public:
  Md5();
  ~Md5();
  Md5(Md5&&) noexcept;
  Md5& operator=(Md5&&) noexcept;

  void Update(const void* bytes, size_t size);
  void Update(absl::string_view bytes) { Update(bytes.data(), bytes.size()); }

  // 32 hex digits; FailedPrecondition where OpenSSL does not offer MD5. Ends the digest: call once, nothing after it.
  absl::StatusOr<std::string> HexDigest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Sha256Hex(absl::string_view bytes);

absl::StatusOr<std::string> Md5Hex(absl::string_view bytes);

// NotFound when the file cannot be opened, DataLoss when reading it fails. Cancelled: a stop signal came. Unavailable: as
// CheckSha256.
absl::StatusOr<std::string> Sha256HexOfFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_DIGEST_H_
