#include "lib/dataset/normalization.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NormalizationTest, KnownWords) {
  const auto cifar10 = ParseNormalization("cifar10");
  ASSERT_THAT(cifar10, IsOk());
  EXPECT_EQ(cifar10->source(), "cifar10");
  EXPECT_THAT(cifar10->mean(), ElementsAre(0.4914f, 0.4822f, 0.4465f));
  EXPECT_THAT(cifar10->std(), ElementsAre(0.2023f, 0.1994f, 0.2010f));
  const auto none = ParseNormalization("none");
  ASSERT_THAT(none, IsOk());
  EXPECT_THAT(none->mean(), ElementsAre(0, 0, 0));
  EXPECT_THAT(none->std(), ElementsAre(1, 1, 1));
  EXPECT_THAT(ParseNormalization("imagenet")->std(), ElementsAre(0.229f, 0.224f, 0.225f));
}

TEST(NormalizationTest, NumbersForAllChannelsOrEach) {
  const auto one = ParseNormalization("0.5/0.25");
  ASSERT_THAT(one, IsOk());
  EXPECT_EQ(one->source(), "custom");
  EXPECT_THAT(one->mean(), ElementsAre(0.5f, 0.5f, 0.5f));
  EXPECT_THAT(one->std(), ElementsAre(0.25f, 0.25f, 0.25f));
  const auto each = ParseNormalization("0.1,0.2,0.3/1,2,3");
  ASSERT_THAT(each, IsOk());
  EXPECT_THAT(each->mean(), ElementsAre(0.1f, 0.2f, 0.3f));
  EXPECT_THAT(each->std(), ElementsAre(1, 2, 3));
}

TEST(NormalizationTest, RefusedWordsNameTheFlagAndTheRemedy) {
  for (const std::string word : {"", "cifar", "0.5", "0.5/", "/0.5", "0.5/0.5/0.5", "0.5,0.5/0.5", "nan/1", "0.5/inf",
                                 "0.5/0", "0.5/-1", "0.5/1e-50", "127/64", "0.5/11"}) {
    EXPECT_THAT(ParseNormalization(word),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::AllOf(HasSubstr("--normalization="), HasSubstr(kNormalizationWords))))
        << word;
  }
  EXPECT_THAT(ParseNormalization("cifar-10"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("did you mean --normalization=cifar10?")));
  EXPECT_THAT(ParseNormalization("127/64"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("pixel / 255")));
}

TEST(NormalizationTest, TheDatasetsOwnIsItsTrainingSplits) {
  const proto::DatasetInfo info = testing::SmallImageSet(proto::TRAIN, 1).info;
  const auto parsed = ParseNormalization("dataset");
  ASSERT_THAT(parsed, IsOk());
  for (const proto::Normalization& asked : {proto::Normalization(), *parsed}) {
    const auto complete = CompleteNormalization(asked, info);
    ASSERT_THAT(complete, IsOk());
    EXPECT_EQ(complete->source(), "dataset");
    EXPECT_THAT(complete->mean(), ElementsAre(0.5f, 0.5f, 0.5f));
    EXPECT_THAT(complete->std(), ElementsAre(0.125f, 0.25f, 0.375f));
  }
  EXPECT_THAT(CompleteNormalization(*parsed, proto::DatasetInfo()), StatusIs(absl::StatusCode::kInvalidArgument, _));
  const auto none = CompleteNormalization(*ParseNormalization("none"), info);
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(none->source(), "none");
}

TEST(NormalizationTest, BrokenValuesAreRefused) {
  proto::Normalization normalization = *ParseNormalization("imagenet");
  EXPECT_THAT(CheckNormalization(normalization), IsOk());
  normalization.set_std(1, 0);
  EXPECT_THAT(CheckNormalization(normalization), StatusIs(absl::StatusCode::kDataLoss, _));
  normalization.mutable_std()->RemoveLast();
  EXPECT_THAT(CheckNormalization(normalization), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(NormalizationTest, ComparesValuesOnly) {
  proto::Normalization one = *ParseNormalization("none");
  EXPECT_TRUE(SameNormalization(one, *ParseNormalization("0/1")));
  EXPECT_FALSE(SameNormalization(one, *ParseNormalization("0/0.5")));
  EXPECT_FALSE(SameNormalization(one, proto::Normalization()));
}

TEST(NormalizationTest, Text) {
  EXPECT_EQ(NormalizationValues(*ParseNormalization("0.5/0.25")), "mean 0.5, std 0.25");
  EXPECT_EQ(NormalizationValues(*ParseNormalization("cifar10")), "mean 0.491 0.482 0.447, std 0.202 0.199 0.201");
  EXPECT_EQ(NormalizationInRecipe(*ParseNormalization("none")), ", images normalized by mean 0, std 1 (none)");
  EXPECT_EQ(NormalizationInRecipe(*CompleteNormalization({}, testing::SmallImageSet(proto::TRAIN, 1).info)),
            ", images normalized by mean 0.5, std 0.125 0.25 0.375 (of the training images)");
  EXPECT_EQ(NormalizationInRecipe({}), "");
}

}  // namespace
}  // namespace lockstep
