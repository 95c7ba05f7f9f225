#include "lib/base/flag_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/reflection.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/flag_values.h"
#include "lib/base/init_main.h"

RANGED_FLAG(uint32_t, epochs, 0, 0, 1'000'000, "a count");
RANGED_FLAG(uint64_t, seed, 0, 0, 18446744073709551615u, "any number of 64 bits");
RANGED_FLAG(double, momentum, 0.9, 0, 1, "a fraction");
RANGED_FLAG(absl::Duration, timeout, absl::Seconds(60), 1, 86400, "a time");
RANGED_FLAG(std::vector<std::string>, ranks, std::vector<std::string>({"1", "2"}), 1, 1024, "counts");
RANGED_FLAG(std::vector<std::string>, factors, {}, 0.5, 4, "factors");
RANGED_FLAG(std::optional<uint32_t>, images, std::nullopt, 0, 1000, "a count that may be left out");
ABSL_FLAG(uint32_t, forgotten, 0, "a count without a range");
ABSL_FLAG(std::optional<uint32_t>, forgotten_images, std::nullopt, "the same, which may be left out");
ABSL_FLAG(std::string, name, "", "no number");

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(const std::string& argument) {
  const absl::Status status = ParseFlags({argument}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << argument;
  return std::string(status.message());
}

TEST(FlagRangeTest, BothEndsAreTaken) {
  for (const char* argument : {"--epochs=0", "--epochs=1000000", "--seed=18446744073709551615", "--momentum=0",
                               "--momentum=1", "--timeout=1s", "--timeout=24h", "--images=0", "--images=1000"}) {
    EXPECT_TRUE(ParseFlags({argument}).ok()) << argument;
  }
}

TEST(FlagRangeTest, WhatLiesOutsideIsRefusedWithFlagRangeAndValue) {
  EXPECT_EQ(Refusal("--epochs=1000001"), "--epochs=1000001: expected a number from 0 to 1000000");
  EXPECT_EQ(Refusal("--images=1001"), "--images=1001: expected a number from 0 to 1000");
  EXPECT_EQ(Refusal("--momentum=-0.001"), "--momentum=-0.001: expected a number from 0 to 1");
  EXPECT_EQ(Refusal("--momentum=1e308"), "--momentum=1e308: expected a number from 0 to 1");
  EXPECT_EQ(Refusal("--timeout=999ms"), "--timeout=999ms: expected a time from 1s to 24h");
}

TEST(FlagRangeTest, WhatIsNoFiniteNumberIsRefused) {
  for (const char* argument :
       {"--momentum=nan", "--momentum=inf", "--momentum=-inf", "--timeout=inf", "--timeout=-inf"}) {
    EXPECT_THAT(Refusal(argument), HasSubstr(": expected a ")) << argument;
  }
}

TEST(FlagRangeTest, TheErrorOfAnUnparsableValueNamesTheRange) {
  EXPECT_THAT(Refusal("--epochs=4294967296"), HasSubstr("does not parse: expected a value from 0 to 1000000"));
  EXPECT_THAT(Refusal("--seed=-1"), HasSubstr("from 0 to 18446744073709551615"));
}

TEST(FlagRangeTest, ATimeWithoutItsUnitIsTakenForSecondsInTheAnswer) {
  EXPECT_EQ(Refusal("--timeout=60"),
            "--timeout=60: expected a time with its unit, from 1s to 24h; did you mean --timeout=60s?");
  EXPECT_THAT(Refusal("--timeout=1.5"), HasSubstr("did you mean --timeout=1.5s?"));
  for (const char* argument : {"--timeout=0.5", "--timeout=86401", "--timeout=", "--timeout=m", "--timeout=60 "}) {
    EXPECT_THAT(Refusal(argument), ::testing::Not(HasSubstr("did you mean"))) << argument;
  }
}

TEST(FlagRangeTest, EachNumberOfAListHasTheRange) {
  EXPECT_THAT(*ParseNumberList("ranks", {"1", "1024"}), ElementsAre(1, 1024));
  EXPECT_EQ(ParseNumberList("ranks", {"1", "1025"}).status().message(),
            "--ranks: expected numbers from 1 to 1024, found 1025");
  EXPECT_THAT(*ParseDecimalList("factors", {"0.5"}), ElementsAre(0.5));
  EXPECT_EQ(ParseDecimalList("factors", {"1e308"}).status().message(),
            "--factors: expected numbers from 0.5 to 4, found 1e308");
}

TEST(FlagRangeTest, AListWithoutARangeIsOurBug) {
  EXPECT_EQ(ParseNumberList("name", {"1"}).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(ParseDecimalList("name", {"1"}).status().code(), absl::StatusCode::kInternal);
}

TEST(FlagRangeTest, ANumberFlagWithoutARangeIsOurBug) {
  EXPECT_EQ(CheckHasRange(*absl::FindCommandLineFlag("forgotten")).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(CheckHasRange(*absl::FindCommandLineFlag("forgotten_images")).code(), absl::StatusCode::kInternal);
  for (const char* flag : {"epochs", "timeout", "name", "images"}) {
    EXPECT_TRUE(CheckHasRange(*absl::FindCommandLineFlag(flag)).ok()) << flag;
  }
}

}  // namespace
}  // namespace lockstep
