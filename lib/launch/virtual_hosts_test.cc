#include "lib/launch/virtual_hosts.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/host_identity.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Returns a lookup in which only the variable is set.
EnvironmentLookup With(const char* value) {
  return [value](const char* name) { return std::string(name) == "LOCKSTEP_HOST_OF_RANK" ? value : nullptr; };
}

TEST(VirtualHostsTest, ReadsTheHostOfEachRank) {
  EXPECT_THAT(*ReadHostOfRank(With(nullptr)), IsEmpty());
  EXPECT_THAT(*ReadHostOfRank(With("0")), ElementsAre(0));
  EXPECT_THAT(*ReadHostOfRank(With("0,0,1,1")), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(*ReadHostOfRank(With("1,0,2,0")), ElementsAre(1, 0, 2, 0));
}

TEST(VirtualHostsTest, OtherTextsAreRefused) {
  for (const char* value : {"", ",", "0,", "0,a", "0,-1", "0,0.5", "0,65536", "0 0", "0,99999999999"}) {
    EXPECT_THAT(ReadHostOfRank(With(value)),
                StatusIs(kInvalid, HasSubstr("', expected numbers from 0, separated by commas; ")))
        << value;
  }
  EXPECT_THAT(ReadHostOfRank(With("0,x\n")),
              StatusIs(kInvalid,
                       "LOCKSTEP_HOST_OF_RANK is '0,x\\n', expected numbers from 0, separated by commas; set "
                       "it like 0,0,1,1 for four ranks on two virtual hosts, or unset it"));
}

TEST(VirtualHostsTest, ALongTextIsCut) {
  const std::string value(200, 'x');
  EXPECT_THAT(ReadHostOfRank(With(value.c_str())),
              StatusIs(kInvalid, HasSubstr("is '" + std::string(80, 'x') + "...', expected numbers")));
}

TEST(VirtualHostsTest, EachNumberMustBeUsed) {
  EXPECT_THAT(ReadHostOfRank(With("0,2")),
              StatusIs(kInvalid, HasSubstr("is '0,2', expected each number from 0 to 2 at least once; ")));
  EXPECT_THAT(ReadHostOfRank(With("1,1")), StatusIs(kInvalid, HasSubstr("from 0 to 1 at least once")));
}

TEST(VirtualHostsTest, EachRankNeedsANumber) {
  EXPECT_THAT(CheckHostOfRank({}, 4), IsOk());
  EXPECT_THAT(CheckHostOfRank({0, 0, 1, 1}, 4), IsOk());
  EXPECT_THAT(CheckHostOfRank({0, 0, 1}, 4),
              StatusIs(kInvalid,
                       "LOCKSTEP_HOST_OF_RANK has 3 numbers, expected one for each of 4 ranks; set it like "
                       "0,0,1,1 for four ranks, or unset it"));
  EXPECT_THAT(CheckHostOfRank({0, 0, 1, 1, 1}, 4), StatusIs(kInvalid, HasSubstr("has 5 numbers")));
}

TEST(VirtualHostsTest, AProcessJoinsTheHostOfItsRank) {
  EXPECT_THAT(JoinVirtualHost(With("0,0,1"), 0, 4), StatusIs(kInvalid, HasSubstr("has 3 numbers")));
  EXPECT_THAT(JoinVirtualHost(With("2"), 0, 1), StatusIs(kInvalid, HasSubstr("at least once")));
  EXPECT_THAT(JoinVirtualHost(With("0,1,0,2"), 3, 4), IsOk());
  EXPECT_EQ(VirtualHost(), 2);
  EXPECT_THAT(JoinVirtualHost(With("0,1,0,2"), 1, 2), IsOk());  // a point of the first two ranks
  EXPECT_EQ(VirtualHost(), 1);
  EXPECT_THAT(JoinVirtualHost(With(nullptr), 0, 4), IsOk());
  EXPECT_EQ(VirtualHost(), 1);
}

}  // namespace
}  // namespace lockstep
