#include "lib/launch/published_rendezvous.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PublishedRendezvousTest, GoesThereAndBack) {
  const RunSecret secret = *RunSecret::Random();
  const auto with_secret = ReadPublishedRendezvous(ToText({29501, secret}));
  ASSERT_THAT(with_secret, IsOk());
  EXPECT_EQ(with_secret->port, 29501);
  EXPECT_EQ(with_secret->secret->bytes(), secret.bytes());
  const auto without = ReadPublishedRendezvous(ToText({1, std::nullopt}));
  ASSERT_THAT(without, IsOk());
  EXPECT_EQ(without->port, 1);
  EXPECT_EQ(without->secret, std::nullopt);
}

TEST(PublishedRendezvousTest, AnythingElseIsRefusedAndNotShown) {
  const std::string secret(64, 'a');
  for (const std::string& text :
       {std::string(), std::string("29501"), std::string("0 -"), std::string("65536 -"), std::string("-1 -"),
        std::string("+1 -"), std::string("1 "), std::string("1  -"), std::string(" 1 -"), "1 " + secret + "a",
        "1 " + secret.substr(1), "1 " + secret + " ", std::string("1 x"), std::string("1 -\n")}) {
    EXPECT_THAT(ReadPublishedRendezvous(text),
                StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("torchrun's store"), Not(HasSubstr("aaaa")))));
  }
}

}  // namespace
}  // namespace lockstep
