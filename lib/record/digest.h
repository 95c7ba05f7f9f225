// SHA-256 and MD5 (OpenSSL) of bytes and files, as lower-case hex. SHA-256 identifies our inputs. MD5 is used only for
// comparison with published digests.
#ifndef LOCKSTEP_LIB_RECORD_DIGEST_H_
#define LOCKSTEP_LIB_RECORD_DIGEST_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Returns UnavailableError if OpenSSL offers no SHA-256, which its configuration (OPENSSL_CONF) can cause. Must be
// called before the first digest; DeclareRunFiles and CheckSameRun call it. Thread-safe.
absl::Status CheckSha256();

// Incremental SHA-256. Move-only; not thread-safe. Throws std::bad_alloc if OpenSSL fails; once CheckSha256() has
// returned OK, the only cause is a lack of memory. Hence no digest is ever empty.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Update(const void* bytes, size_t size);
  void Update(absl::string_view bytes) { Update(bytes.data(), bytes.size()); }

  // Returns 64 hex digits and ends the digest. No other function may be called afterwards.
  std::string HexDigest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Incremental MD5. Some machines (in FIPS mode) forbid MD5.
class Md5 {
 public:
  Md5();
  ~Md5();
  Md5(Md5&&) noexcept;
  Md5& operator=(Md5&&) noexcept;

  void Update(const void* bytes, size_t size);
  void Update(absl::string_view bytes) { Update(bytes.data(), bytes.size()); }

  // Returns 32 hex digits and ends the digest. No other function may be called afterwards. Returns
  // FailedPreconditionError if OpenSSL does not offer MD5.
  absl::StatusOr<std::string> HexDigest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Sha256Hex(absl::string_view bytes);

absl::StatusOr<std::string> Md5Hex(absl::string_view bytes);

// Returns the digest of a file, or an error:
//     - NotFound: the file cannot be opened;
//     - DataLoss: reading fails;
//     - Cancelled: a stop signal was received;
//     - the error of CheckSha256.
absl::StatusOr<std::string> Sha256HexOfFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_DIGEST_H_
