#include "lib/launch/run_secret.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/random_bytes.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

using MacContext = std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)>;

// Returns OpenSSL's HMAC, or null if there is none. It is looked up once and never freed.
EVP_MAC* HmacAlgorithm() {
  static EVP_MAC* const algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  return algorithm;
}

absl::Status CheckHmac() {
  return HmacSha256("key", "message").size() == kDigestBytes
             ? absl::OkStatus()
             : absl::UnavailableError(
                   "HMAC-SHA256, by which the processes of a run authenticate each other, is not available: OpenSSL on "
                   "this machine refuses it; load the default provider in its configuration (OPENSSL_CONF)");
}

const unsigned char* Unsigned(absl::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

}  // namespace

std::string HmacSha256OfParts(absl::string_view key, std::initializer_list<absl::string_view> parts) {
  char sha256[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
                                   OSSL_PARAM_construct_end()};
  const MacContext context(HmacAlgorithm() != nullptr ? EVP_MAC_CTX_new(HmacAlgorithm()) : nullptr, &EVP_MAC_CTX_free);
  if (context == nullptr || EVP_MAC_init(context.get(), Unsigned(key), key.size(), parameters) != 1) {
    return "";
  }
  for (const absl::string_view part : parts) {
    if (!part.empty() && EVP_MAC_update(context.get(), Unsigned(part), part.size()) != 1) {
      return "";
    }
  }
  std::string digest(kDigestBytes, '\0');
  size_t size = 0;
  const int done = EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(&digest[0]), &size, digest.size());
  return done == 1 && size == kDigestBytes ? digest : "";
}

std::string HmacSha256(absl::string_view key, absl::string_view message) { return HmacSha256OfParts(key, {message}); }

bool SameDigest(absl::string_view a, absl::string_view b) {
  return a.size() == kDigestBytes && b.size() == kDigestBytes && CRYPTO_memcmp(a.data(), b.data(), kDigestBytes) == 0;
}

absl::StatusOr<RunSecret> RunSecret::Random() {
  RETURN_IF_ERROR(CheckHmac());
  ASSIGN_OR_RETURN(std::string bytes, RandomBytes(kDigestBytes));
  return RunSecret(std::move(bytes));
}

absl::StatusOr<RunSecret> RunSecret::FromToken(absl::string_view token) {
  RETURN_IF_ERROR(CheckHmac());
  if (token.size() < kMinTokenCharacters) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a token of at least ", kMinTokenCharacters, " characters, found ", token.size()));
  }
  std::string digest(kDigestBytes, '\0');
  if (EVP_Digest(token.data(), token.size(), reinterpret_cast<unsigned char*>(&digest[0]), nullptr, EVP_sha256(),
                 nullptr) != 1) {
    return absl::UnavailableError("SHA-256 is not available: OpenSSL on this machine refuses it");
  }
  return RunSecret(std::move(digest));
}

absl::StatusOr<RunSecret> RunSecret::FromHex(absl::string_view hex) {
  RETURN_IF_ERROR(CheckHmac());
  bool digits = hex.size() == 2 * kDigestBytes;
  for (const char c : hex) {
    digits = digits && absl::ascii_isxdigit(static_cast<unsigned char>(c));
  }
  if (!digits) {
    return absl::InvalidArgumentError(absl::StrCat("expected a secret of ", 2 * kDigestBytes, " hex digits, found ",
                                                   hex.size(), " other characters"));
  }
  return RunSecret(absl::HexStringToBytes(hex));
}

std::string RunSecret::Hex() const { return absl::BytesToHexString(bytes_); }

RunSecret RunSecret::Derive(absl::string_view purpose) const { return RunSecret(HmacSha256(bytes_, purpose)); }

}  // namespace lockstep
