#include "lib/record/digest.h"

#include <openssl/evp.h>

#include <new>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/record/input_file.h"

namespace lockstep {

namespace {

// Returns SHA-256, or null if OpenSSL does not offer it. Fetches the algorithm once and never frees it. With
// EVP_sha256(), every digest would look it up again under a lock, and an image folder needs 60,000 digests.
const EVP_MD* Sha256Algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

// Incremental digest. `usable` is false if OpenSSL's configuration forbids the algorithm, or after a failure.
struct Running {
  explicit Running(const EVP_MD* algorithm)
      : context(EVP_MD_CTX_new()),
        usable(context != nullptr && algorithm != nullptr && EVP_DigestInit_ex(context, algorithm, nullptr) == 1) {}
  ~Running() { EVP_MD_CTX_free(context); }

  void Update(const void* bytes, size_t size) { usable = usable && EVP_DigestUpdate(context, bytes, size) == 1; }

  // Returns the digest; empty if it is not usable.
  std::string HexDigest() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    usable = usable && EVP_DigestFinal_ex(context, digest, &size) == 1;
    return usable ? absl::BytesToHexString(absl::string_view(reinterpret_cast<char*>(digest), size)) : "";
  }

  EVP_MD_CTX* context;
  bool usable;
};

}  // namespace

absl::Status CheckSha256() {
  static const bool is_there = Running(Sha256Algorithm()).usable;
  return is_there ? absl::OkStatus()
                  : absl::UnavailableError(
                        "SHA-256 is not available: OpenSSL's configuration disables it; unset OPENSSL_CONF, or "
                        "activate the default provider in that configuration");
}

struct Sha256::State : Running {
  State() : Running(Sha256Algorithm()) {}
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Update(const void* bytes, size_t size) { state_->Update(bytes, size); }

std::string Sha256::HexDigest() {
  std::string digest = state_->HexDigest();
  if (digest.empty()) {
    throw std::bad_alloc();
  }
  return digest;
}

struct Md5::State : Running {
  State() : Running(EVP_md5()) {}
};

Md5::Md5() : state_(std::make_unique<State>()) {}
Md5::~Md5() = default;
Md5::Md5(Md5&&) noexcept = default;
Md5& Md5::operator=(Md5&&) noexcept = default;

void Md5::Update(const void* bytes, size_t size) { state_->Update(bytes, size); }

absl::StatusOr<std::string> Md5::HexDigest() {
  const std::string digest = state_->HexDigest();
  if (digest.empty()) {
    return absl::FailedPreconditionError(
        "MD5 is not available: OpenSSL's configuration on this machine forbids it (FIPS mode)");
  }
  return digest;
}

std::string Sha256Hex(absl::string_view bytes) {
  Sha256 digest;
  digest.Update(bytes);
  return digest.HexDigest();
}

absl::StatusOr<std::string> Md5Hex(absl::string_view bytes) {
  Md5 digest;
  digest.Update(bytes);
  return digest.HexDigest();
}

absl::StatusOr<std::string> Sha256HexOfFile(const std::string& path) {
  RETURN_IF_ERROR(CheckSha256());
  ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path));
  Sha256 digest;
  std::vector<char> buffer(1 << 20);
  while (true) {
    const absl::StatusOr<size_t> n = file.Read(buffer.data(), buffer.size());
    if (!n.ok()) {
      return NameInReadError(path, n.status());
    }
    if (*n == 0) {
      return digest.HexDigest();
    }
    digest.Update(buffer.data(), *n);
  }
}

}  // namespace lockstep
