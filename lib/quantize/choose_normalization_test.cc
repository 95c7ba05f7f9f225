#include "lib/quantize/choose_normalization.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/normalization.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const proto::DatasetInfo& Train() {
  static const auto* const info = new proto::DatasetInfo(testing::SmallImageSet(proto::TRAIN, 1).info);
  return *info;
}

TEST(ChooseNormalizationTest, TheFilesOwnNeedsNoFlag) {
  proto::Normalization own = *ParseNormalization("none");
  own.set_source("checkpoint");
  const auto chosen = ChooseNormalization("net.pt", "auto", own, Train());
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->normalization.source(), "checkpoint");
  EXPECT_THAT(chosen->normalization.std(), ElementsAre(1, 1, 1));
  EXPECT_EQ(chosen->warning, "");
}

TEST(ChooseNormalizationTest, AnUnknownOneIsAssumedWithAWarningThatNamesTheFlag) {
  const auto chosen = ChooseNormalization("net.pt", "auto", std::nullopt, Train());
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->normalization.source(), "assumed");
  EXPECT_THAT(chosen->normalization.std(), ElementsAre(0.125f, 0.25f, 0.375f));
  EXPECT_THAT(chosen->warning,
              AllOf(HasSubstr("net.pt does not contain"), HasSubstr("--normalization=dataset, cifar10")));
}

TEST(ChooseNormalizationTest, TheFlagWinsAndIsReported) {
  const auto chosen = ChooseNormalization("net.pt", "0.5/0.5", std::nullopt, Train());
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->normalization.source(), "custom");
  EXPECT_EQ(chosen->warning, "");
  const auto same = ChooseNormalization("net.pt", "none", ParseNormalization("0/1").value(), Train());
  ASSERT_THAT(same, IsOk());
  EXPECT_EQ(same->warning, "");
  const auto other = ChooseNormalization("net.pt", "none", ParseNormalization("0.5/0.5").value(), Train());
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ(other->normalization.source(), "none");
  EXPECT_THAT(other->warning, HasSubstr("was trained with mean 0.5, std 0.5"));
}

TEST(ChooseNormalizationTest, TheDatasetsOwnMayBeNamed) {
  const auto chosen = ChooseNormalization("net.pt", "dataset", std::nullopt, Train());
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ(chosen->normalization.source(), "dataset");
  EXPECT_EQ(chosen->warning, "");
}

TEST(ChooseNormalizationTest, WrongWords) {
  EXPECT_THAT(ChooseNormalization("net.pt", "cifar", std::nullopt, Train()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--normalization=cifar")));
}

}  // namespace
}  // namespace lockstep
