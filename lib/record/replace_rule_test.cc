#include "lib/record/replace_rule.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ReplaceRuleTest, WhereNothingIsNothingIsLost) {
  const std::string empty = TempPath("empty");
  WriteFile(empty, "");
  for (const ReplaceRule& rule : {ReplaceAnything(), ReplaceNothing(), ReplaceMarked("mark")}) {
    EXPECT_FALSE(*rule({TempPath("none")}));
    EXPECT_FALSE(*rule({empty}));
  }
}

TEST(ReplaceRuleTest, OnlyWhatBeginsWithTheMarkIsReplaced) {
  const std::string path = TempPath("a");
  WriteFile(path, "# mark\nnumbers");
  EXPECT_TRUE(*ReplaceMarked("mark")({path}));
  EXPECT_THAT(ReplaceMarked("other")({path}),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("would replace"), HasSubstr("--force"))));
  WriteFile(path, std::string(1024, ' ') + "mark");
  EXPECT_THAT(ReplaceMarked("mark")({path}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found another file")));
}

TEST(ReplaceRuleTest, ForceReplacesAnything) {
  const std::string path = TempPath("a");
  WriteFile(path, "precious");
  EXPECT_TRUE(*ReplaceIfForced(Force::kYes, ReplaceNothing())({path}));
  EXPECT_THAT(ReplaceIfForced(Force::kNo, ReplaceNothing())({path}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exists already")));
}

}  // namespace
}  // namespace lockstep
