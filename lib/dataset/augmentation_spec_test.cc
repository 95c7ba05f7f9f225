#include "lib/dataset/augmentation_spec.h"

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;

proto::TrainingSpec Spec(const std::string& fields) {
  proto::TrainingSpec spec;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(fields, &spec)) << fields;
  return spec;
}

::testing::Matcher<absl::Status> Refuses(const std::string& message) {
  return StatusIs(absl::StatusCode::kInvalidArgument, message);
}

TEST(AugmentationSpecTest, TheRuleHasTheSpecsFields) {
  const AugmentationRule unset = AugmentationRuleOf(Spec("augment: true"));
  EXPECT_EQ(unset.border, CropBorder::kZero);
  EXPECT_EQ(unset.flip, FlipRule::kRandom);
  EXPECT_EQ(unset.cutout, 0);
  const AugmentationRule named = AugmentationRuleOf(Spec("border: ZERO flip: RANDOM cutout: 3"));
  EXPECT_EQ(named.border, CropBorder::kZero);
  EXPECT_EQ(named.flip, FlipRule::kRandom);
  EXPECT_EQ(named.cutout, 3);
  EXPECT_EQ(AugmentationRuleOf(Spec("border: REFLECT")).border, CropBorder::kReflect);
  EXPECT_EQ(AugmentationRuleOf(Spec("flip: ALTERNATING")).flip, FlipRule::kAlternating);
}

TEST(AugmentationSpecTest, TheTextNamesWhatDiffersFromTheDefault) {
  EXPECT_EQ(AugmentationInRecipe(Spec("")), ", no augmentation");
  EXPECT_EQ(AugmentationInRecipe(Spec("augment: true")), ", random crop and flip");
  EXPECT_EQ(AugmentationInRecipe(Spec("augment: true border: ZERO flip: RANDOM cutout: 12")),
            ", random crop and flip, cutout of 12 pixels");
  EXPECT_EQ(AugmentationInRecipe(Spec("augment: true border: REFLECT")),
            ", random crop from a reflected border, random flip");
  EXPECT_EQ(AugmentationInRecipe(Spec("augment: true border: REFLECT flip: ALTERNATING cutout: 12")),
            ", random crop from a reflected border, alternating flip, cutout of 12 pixels");
}

TEST(AugmentationSpecTest, RefusesToChangeAnAugmentationThatIsOff) {
  EXPECT_THAT(CheckAugmentation(Spec("border: ZERO flip: RANDOM")), IsOk());
  EXPECT_THAT(CheckAugmentation(Spec("augment: true border: REFLECT flip: ALTERNATING cutout: 12")), IsOk());
  EXPECT_THAT(CheckAugmentation(Spec("cutout: 12")),
              Refuses("--cutout=12 changes the augmentation, found --noaugment; leave one out"));
  EXPECT_THAT(CheckAugmentation(Spec("border: REFLECT")),
              Refuses("--border=reflect changes the augmentation, found --noaugment; leave one out"));
  EXPECT_THAT(CheckAugmentation(Spec("flip: ALTERNATING")),
              Refuses("--flip=alternating changes the augmentation, found --noaugment; leave one out"));
}

TEST(AugmentationSpecTest, RefusesWhatTheImagesAreTooSmallFor) {
  const proto::TrainingSpec cutout = Spec("augment: true cutout: 12"), reflect = Spec("augment: true border: REFLECT");
  EXPECT_THAT(CheckAugmentationFits(cutout, {12, 20}), IsOk());
  EXPECT_THAT(CheckAugmentationFits(cutout, {20, 11}),
              Refuses("--cutout=12: expected at most 11 pixels, the smaller side of the images"));
  EXPECT_THAT(CheckAugmentationFits(reflect, {5, 5}), IsOk());
  EXPECT_THAT(CheckAugmentationFits(reflect, {5, 4}),
              Refuses("--border=reflect: expected images of more than 4 pixels a side, found 5x4"));
  EXPECT_THAT(CheckAugmentationFits(Spec("cutout: 12"), {4, 4}), IsOk());  // no augmentation
}

}  // namespace
}  // namespace lockstep
