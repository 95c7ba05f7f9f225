#include "lib/launch/run_secret.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

// RFC 4231, test cases 1, 2 and 6; the key of case 6 is longer than a block.
TEST(HmacSha256Test, PublishedValues) {
  EXPECT_EQ(absl::BytesToHexString(HmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(absl::BytesToHexString(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(absl::BytesToHexString(
                HmacSha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256Test, PartsAreTheirConcatenation) {
  EXPECT_EQ(HmacSha256OfParts("Jefe", {"what do ya", "", " want for nothing?"}),
            HmacSha256("Jefe", "what do ya want for nothing?"));
}

TEST(SameDigestTest, AcceptsOnlyEqualDigestsOfFullLength) {
  const std::string digest = HmacSha256("k", "m");
  std::string other = digest;
  other[31] ^= 1;
  EXPECT_TRUE(SameDigest(digest, digest));
  EXPECT_FALSE(SameDigest(digest, other));
  EXPECT_FALSE(SameDigest(digest, digest.substr(0, 31)));
  EXPECT_FALSE(SameDigest("", ""));
}

TEST(RunSecretTest, RandomOnesDiffer) {
  const auto a = RunSecret::Random();
  const auto b = RunSecret::Random();
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  EXPECT_EQ(a->bytes().size(), 32u);
  EXPECT_NE(a->bytes(), b->bytes());
}

TEST(RunSecretTest, ATokenIsHashed) {
  const auto secret = RunSecret::FromToken("a token of a run");
  ASSERT_THAT(secret, IsOk());
  // printf %s 'a token of a run' | sha256sum
  EXPECT_EQ(secret->Hex(), "108518c4da612152c12f0b305eedc8a5a0bba2149d55de965701a4b60606b623");
  EXPECT_EQ(RunSecret::FromToken("a token of a run")->bytes(), secret->bytes());
  EXPECT_NE(RunSecret::FromToken("a token of a ruN")->bytes(), secret->bytes());
}

TEST(RunSecretTest, AShortTokenIsRefusedAndNotShown) {
  EXPECT_THAT(RunSecret::FromToken("fifteen letters"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 16 characters, found 15")));
  EXPECT_THAT(RunSecret::FromToken("fifteen letters"),
              StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("fifteen"))));
}

TEST(RunSecretTest, HexGoesThereAndBack) {
  const auto secret = RunSecret::Random();
  EXPECT_EQ(RunSecret::FromHex(secret->Hex())->bytes(), secret->bytes());
  for (const std::string& wrong :
       {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(63, 'a') + "g", std::string(64, '\0')}) {
    EXPECT_THAT(RunSecret::FromHex(wrong), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("64 hex digits")));
  }
}

TEST(RunSecretTest, EachPurposeHasASecretOfItsOwn) {
  const auto secret = RunSecret::FromToken("a token of a run");
  EXPECT_EQ(secret->Derive("store 1").bytes(), HmacSha256(secret->bytes(), "store 1"));
  EXPECT_NE(secret->Derive("store 1").bytes(), secret->Derive("store 2").bytes());
}

}  // namespace
}  // namespace lockstep
