#include "lib/comparison/comparison_page.h"

#include <limits>

#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kUsage = absl::StatusCode::kInvalidArgument;

RunComparison Comparison() {
  RunComparison comparison;
  comparison.points = {
      {"batch 32", 2, 2.5, {TimeVerdict::kSlower, 1.25, 1.2, 1.3}, 0},
      {"batch <64>", 1, 2, {TimeVerdict::kInconclusive, 2, 0, std::numeric_limits<double>::infinity()}, 3}};
  comparison.only_first = {"batch 128"};
  comparison.first_side = {{"old/run.rec", "old/again.rec"}, {"build 0123456789ab", "overlap=false"}};
  comparison.second_side = {{"new/run.rec"}, {"build ba9876543210", "overlap=true"}};
  return comparison;
}

std::string PathsOf(const std::vector<ComparisonOutput>& outputs) {
  std::string paths;
  for (const ComparisonOutput& output : outputs) {
    paths += output.path + " ";
  }
  return paths;
}

TEST(ComparisonPageTest, OutputsFollowFormatAndEnding) {
  EXPECT_EQ(PathsOf(*ParseComparisonOutputs("html,json", "out/cmp.html")), "out/cmp.html out/cmp.json ");
  EXPECT_EQ(ParseComparisonOutputs("", "cmp.md")->front().format, ComparisonFormat::kMarkdown);
  EXPECT_EQ(PathsOf(*ParseComparisonOutputs("markdown", "-")), "- ");
  EXPECT_THAT(ParseComparisonOutputs("", "-"), StatusIs(kUsage, HasSubstr("takes one page")));
  EXPECT_THAT(ParseComparisonOutputs("html,json", "-"), StatusIs(kUsage, HasSubstr("takes one page")));
  EXPECT_THAT(ParseComparisonOutputs("latex", "cmp.tex"), StatusIs(kUsage, HasSubstr("--format=latex")));
  EXPECT_THAT(ParseComparisonOutputs("", "cmp.tex"), StatusIs(kUsage, HasSubstr("--output=cmp.tex")));
}

TEST(ComparisonPageTest, PagesBeginWithTheMark) {
  for (const ComparisonFormat format :
       {ComparisonFormat::kHtml, ComparisonFormat::kMarkdown, ComparisonFormat::kJson}) {
    EXPECT_THAT(ComparisonPage(Comparison(), format).substr(0, 1024), HasSubstr(kComparisonMark));
  }
}

TEST(ComparisonPageTest, PagesHaveTheVerdictInWords) {
  EXPECT_THAT(
      ComparisonPage(Comparison(), ComparisonFormat::kHtml),
      AllOf(HasSubstr("<h1"), HasSubstr("slower: between 1.200 and 1.300 times as long"), HasSubstr("&lt;64&gt;"),
            HasSubstr("inconclusive: each program was run once; 3 runs of each would decide: 2 more runs before "
                      "and 2 more after"),
            HasSubstr("Left out: batch 128: only the run before has times of it.")));
  EXPECT_THAT(ComparisonPage(Comparison(), ComparisonFormat::kMarkdown),
              AllOf(HasSubstr("| batch 32 |"), HasSubstr("slower: between 1.200 and 1.300 times as long")));
}

TEST(ComparisonPageTest, EachSideHasItsFilesAndItsDistinction) {
  EXPECT_THAT(ComparisonPage(Comparison(), ComparisonFormat::kMarkdown),
              AllOf(HasSubstr("| before | old/run.rec, old/again.rec | build 0123456789ab, overlap=false |"),
                    HasSubstr("| after | new/run.rec | build ba9876543210, overlap=true |")));
  EXPECT_THAT(ComparisonPage(Comparison(), ComparisonFormat::kHtml),
              AllOf(HasSubstr("old/run.rec, old/again.rec"), HasSubstr("build ba9876543210, overlap=true")));
}

TEST(ComparisonPageTest, JsonCanBeParsed) {
  const std::string json = ComparisonPage(Comparison(), ComparisonFormat::kJson);
  google::protobuf::Struct parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &parsed).ok()) << json;
  const auto& before = parsed.fields().at("before").struct_value().fields();
  EXPECT_EQ(before.at("files").list_value().values_size(), 2);
  EXPECT_EQ(before.at("files").list_value().values(1).string_value(), "old/again.rec");
  EXPECT_EQ(before.at("distinguished_by").list_value().values(1).string_value(), "overlap=false");
  const auto& after = parsed.fields().at("after").struct_value().fields();
  EXPECT_EQ(after.at("files").list_value().values(0).string_value(), "new/run.rec");
  const auto& points = parsed.fields().at("points").list_value();
  ASSERT_EQ(points.values_size(), 2);
  const auto& first = points.values(0).struct_value().fields();
  EXPECT_EQ(first.at("verdict").string_value(), "slower");
  EXPECT_EQ(first.at("ratio").number_value(), 1.25);
  EXPECT_EQ(first.at("low").number_value(), 1.2);
  const auto& second = points.values(1).struct_value().fields();
  EXPECT_EQ(second.at("name").string_value(), "batch <64>");
  EXPECT_EQ(second.at("high").kind_case(), google::protobuf::Value::kNullValue);
  EXPECT_EQ(second.at("runs_needed").number_value(), 3);
  EXPECT_EQ(parsed.fields().at("left_out").list_value().values(0).string_value(), "batch 128");
}

}  // namespace
}  // namespace lockstep
