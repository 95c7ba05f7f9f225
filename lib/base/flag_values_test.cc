#include "lib/base/flag_values.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/flag_range.h"

RANGED_FLAG(std::vector<std::string>, ranks, {}, 0, 4294967295, "");
RANGED_FLAG(std::vector<std::string>, factor, {}, 0, 10, "");

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(ParseNumberListTest, TakesNoneOneAndMany) {
  EXPECT_THAT(*ParseNumberList("ranks", {}), IsEmpty());
  EXPECT_THAT(*ParseNumberList("ranks", {"4294967295"}), ElementsAre(4294967295u));
  EXPECT_THAT(*ParseNumberList("ranks", {"1", "2", "4"}), ElementsAre(1, 2, 4));
}

TEST(ParseNumberListTest, NamesTheFlagAndWhatIsNoNumber) {
  for (const char* text : {"", "x", "-1", "1.5", "4294967296", "1 2"}) {
    const absl::Status status = ParseNumberList("ranks", {"1", text}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(Message(status), HasSubstr(std::string("--ranks: '") + text + "'"));
  }
}

TEST(ParseDecimalListTest, TakesFractions) {
  EXPECT_THAT(*ParseDecimalList("factor", {"0.5", "2", "1e-3"}), ElementsAre(0.5, 2, 1e-3));
  EXPECT_THAT(*ParseDecimalList("factor", {}), IsEmpty());
}

TEST(ParseDecimalListTest, NamesTheFlagAndWhatIsNoNumber) {
  for (const char* text : {"", "x", "inf", "nan", "1 2"}) {
    EXPECT_THAT(Message(ParseDecimalList("factor", {"1", text}).status()),
                HasSubstr(std::string("--factor: '") + text + "'"));
  }
}

TEST(ParseMebibytesTest, GivesBytes) {
  EXPECT_EQ(*ParseMebibytes("bucket_mib", 0), 0u);
  EXPECT_EQ(*ParseMebibytes("bucket_mib", 25), 26'214'400u);
  EXPECT_EQ(*ParseMebibytes("bucket_mib", 0.5), 524'288u);
}

TEST(ParseMebibytesTest, RefusesWhatIsNoSize) {
  for (const double size :
       {-1.0, 1e6 + 1, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(Message(ParseMebibytes("bucket_mib", size).status()), HasSubstr("--bucket_mib")) << size;
  }
}

}  // namespace
}  // namespace lockstep
