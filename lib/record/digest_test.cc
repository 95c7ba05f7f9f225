#include "lib/record/digest.h"

#include <openssl/evp.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/emulation.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsEmulated;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Digests from FIPS 180-2, appendix B.1, and of the empty string.
constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kEmpty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(DigestTest, StandardVectors) {
  EXPECT_EQ(Sha256Hex(""), kEmpty);
  EXPECT_EQ(Sha256Hex("abc"), kAbc);
}

TEST(DigestTest, InPiecesIsTheSame) {
  Sha256 digest;
  digest.Update("a");
  digest.Update("bc");
  EXPECT_EQ(digest.HexDigest(), kAbc);
}

TEST(DigestTest, OfAFile) {
  const std::string path = testing::TempPath("abc");
  testing::WriteFile(path, "abc");
  EXPECT_EQ(*Sha256HexOfFile(path), kAbc);
}

// Digests from RFC 1321, appendix A.5.
TEST(DigestTest, StandardVectorsOfMd5) {
  EXPECT_EQ(*Md5Hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(*Md5Hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  Md5 pieces;
  pieces.Update("message ");
  pieces.Update("digest");
  EXPECT_EQ(*pieces.HexDigest(), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(DigestTest, WhereMd5IsForbiddenThatIsReported) {
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
  ASSERT_EQ(EVP_default_properties_enable_fips(nullptr, 1), 1);
  const absl::StatusOr<std::string> digest = Md5Hex("message digest");
  ASSERT_EQ(EVP_default_properties_enable_fips(nullptr, 0), 1);
  EXPECT_THAT(digest, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("FIPS")));
#else
  GTEST_SKIP() << "OpenSSL before 3.0 cannot switch FIPS mode on within a process";
#endif
}

// OpenSSL reads its configuration once per process; therefore a new process is started.
TEST(DigestDeathTest, OPENSSL_CONF_without_SHA_256) {
  if (IsEmulated()) {
    GTEST_SKIP() << "QEMU does not start a new process of this program";
  }
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
  EXPECT_THAT(CheckSha256(), IsOk());
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const std::string configuration = testing::TempPath("openssl.cnf");
  testing::WriteFile(configuration, "openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n");
  setenv("OPENSSL_CONF", configuration.c_str(), 1);
  const auto try_digests = [&] {
    bool thrown = false;
    try {
      Sha256Hex("abc");
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    std::fprintf(stderr, "%s\n", CheckSha256().ToString().c_str());
    std::exit(thrown && absl::IsUnavailable(Sha256HexOfFile(configuration).status()) ? 0 : 1);
  };
  EXPECT_EXIT(try_digests(), ::testing::ExitedWithCode(0), "UNAVAILABLE: SHA-256 is not available.*unset OPENSSL_CONF");
  unsetenv("OPENSSL_CONF");
#else
  GTEST_SKIP() << "OpenSSL before 3.0 has no providers";
#endif
}

TEST(DigestTest, AMissingFileIsNotFound) {
  EXPECT_THAT(Sha256HexOfFile("/no/such"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

}  // namespace
}  // namespace lockstep
