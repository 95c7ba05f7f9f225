#include "lib/page/html_spark.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

proto::Spark MakeSpark(proto::SparkKind kind, const std::vector<std::pair<std::string, double>>& values) {
  proto::Spark spark;
  spark.set_kind(kind);
  for (const auto& [label, value] : values) {
    spark.add_label(label);
    spark.add_value(value);
  }
  spark.set_description("Rates <by batch>");
  return spark;
}

TEST(SparkSvgTest, WithoutKindValuesOrFiniteNumbersThereIsNoChart) {
  EXPECT_EQ(SparkSvg(proto::Spark()), "");
  EXPECT_EQ(SparkSvg(MakeSpark(proto::TREND, {})), "");
  EXPECT_EQ(SparkSvg(MakeSpark(proto::SPARK_KIND_UNSPECIFIED, {{"a", 1}})), "");
  EXPECT_EQ(SparkSvg(MakeSpark(proto::BARS, {{"a", std::numeric_limits<double>::infinity()}})), "");
}

TEST(SparkSvgTest, IsAnImageWithItsDescription) {
  EXPECT_THAT(SparkSvg(MakeSpark(proto::SHARE, {{"waiting", 0.5}})),
              HasSubstr("role=\"img\" aria-label=\"Rates &lt;by batch&gt;\""));
}

// From 26 units below the top, where 0 is, to 4 units below the top.
TEST(SparkSvgTest, ATrendBeginsAtZero) {
  EXPECT_THAT(SparkSvg(MakeSpark(proto::TREND, {{"32", 50}, {"128", 75}, {"512", 100}})),
              AllOf(HasSubstr("d=\"M4.0 15.0L60.0 9.5L116.0 4.0\""), HasSubstr("<title>512: 100</title>"),
                    HasSubstr("text-anchor=\"end\">512</text>")));
}

// 0.99 of 1 is a tenth of the axis from 0.9 to 1.
TEST(SparkSvgTest, ATrendNearItsBaseLooksLevel) {
  proto::Spark spark = MakeSpark(proto::TREND, {{"32", 0.99}, {"128", 0.99}});
  spark.set_base(1);
  EXPECT_THAT(SparkSvg(spark),
              AllOf(HasSubstr("class=\"base\" x1=\"0.0\" y1=\"4.0\""), HasSubstr("d=\"M4.0 6.2L116.0 6.2\"")));
}

TEST(SparkSvgTest, ASmallShareCanBeSeen) {
  EXPECT_THAT(SparkSvg(MakeSpark(proto::SHARE, {{"", 0.25}})), HasSubstr("class=\"part\" x=\"90.0\""));
  EXPECT_THAT(SparkSvg(MakeSpark(proto::SHARE, {{"", 0.0001}})), HasSubstr("class=\"part\" x=\"118.0\""));
}

TEST(SparkSvgTest, BarsBeginAtZeroAndEndAtTheBase) {
  proto::Spark spark = MakeSpark(proto::BARS, {{"with", 50}, {"w/o", 25}});  // 4 characters: bars from 29 to 120
  spark.set_base(50);
  EXPECT_THAT(SparkSvg(spark), AllOf(HasSubstr("class=\"bar\" x=\"29.0\" y=\"3.5\" width=\"91.0\""),
                                     HasSubstr("class=\"bar\" x=\"29.0\" y=\"23.5\" width=\"45.5\""),
                                     HasSubstr("class=\"base\" x1=\"120.0\"")));
}

TEST(SparkSvgTest, ALongLabelIsCutBetweenCharacters) {
  EXPECT_THAT(SparkSvg(MakeSpark(proto::BARS, {{"größte Batch", 1}})),
              AllOf(HasSubstr(">größte …</text>"), HasSubstr("<title>größte Batch: 1</title>")));
}

TEST(SparkSvgTest, DifferencesLieOnBothSidesOfTheBandOfChance) {
  proto::Spark spark = MakeSpark(proto::DIFFERENCES, {{"a", -0.5}, {"b", 1}});
  EXPECT_THAT(SparkSvg(spark), AllOf(HasSubstr("cx=\"34.0\""), HasSubstr("cx=\"112.0\"")));
  spark.set_chance(2);
  EXPECT_THAT(SparkSvg(spark), AllOf(HasSubstr("class=\"room\" x=\"8.0\" y=\"10.0\" width=\"104.0\""),
                                     HasSubstr("cx=\"47.0\""), HasSubstr("cx=\"86.0\"")));
}

TEST(SparkSvgTest, EqualValuesAreDrawn) {
  EXPECT_THAT(SparkSvg(MakeSpark(proto::DIFFERENCES, {{"a", 0}})),
              AllOf(HasSubstr("cx=\"60.0\""), Not(HasSubstr("nan"))));
  EXPECT_THAT(SparkSvg(MakeSpark(proto::TREND, {{"a", 0}, {"b", 0}})), Not(HasSubstr("nan")));
  EXPECT_THAT(SparkSvg(MakeSpark(proto::BARS, {{"a", 0}})), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace lockstep
