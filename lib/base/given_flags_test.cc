#include "lib/base/given_flags.h"

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/init_main.h"

ABSL_FLAG(bool, check, false, "Of this test.");
ABSL_FLAG(std::string, junit, "", "Of this test.");
ABSL_FLAG(std::string, style, "given", "Of this test.");
ABSL_FLAG(std::string, internal_point, "", "Internal: of this test.");

namespace lockstep {
namespace {

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// One test only, because given flags are recorded for the whole process.
TEST(GivenFlagsTest, AFlagThatDoesNothingIsRefused) {
  ASSERT_TRUE(ParseFlags({"--junit=x", "--nocheck", "--internal_point=1"}).ok());
  EXPECT_TRUE(IsGiven("junit"));
  EXPECT_TRUE(IsGiven("check"));  // given with its default value
  EXPECT_FALSE(IsGiven("style"));

  EXPECT_EQ(
      Message(CheckGivenFlags({{{"style"}, false, "here", ""}, {{"junit"}, false, "without --check", "add --check"}})),
      "--junit has no effect without --check; leave it out, or add --check");
  EXPECT_EQ(Message(CheckGivenFlags({{{"check"}, false, "with --style", ""}})),
            "--check has no effect with --style; leave it out");
  EXPECT_TRUE(CheckGivenFlags({{{"style"}, false, "here", ""}, {{"junit", "check"}, true, "there", ""}}).ok());

  EXPECT_TRUE(CheckOnlyGiven({"check", "junit"}, "here").ok());
  EXPECT_EQ(Message(CheckOnlyGiven({"check", "style"}, "here")), "--junit has no effect here; leave it out");
  EXPECT_EQ(CheckOnlyGiven({}, "here").code(), absl::StatusCode::kInvalidArgument);

  ASSERT_TRUE(ParseFlags({"--quiet"}).ok());  // has an effect in every run
  EXPECT_TRUE(CheckOnlyGiven({"check", "junit"}, "here").ok());
}

}  // namespace
}  // namespace lockstep
