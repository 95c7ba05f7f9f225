#include "lib/dataset/augmentation_spec.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr char kWithoutAugmentation[] = " changes the augmentation, found --noaugment; leave one out";

}  // namespace

AugmentationRule AugmentationRuleOf(const proto::TrainingSpec& spec) {
  AugmentationRule rule;
  rule.border = spec.border() == proto::REFLECT ? CropBorder::kReflect : CropBorder::kZero;
  rule.flip = spec.flip() == proto::ALTERNATING ? FlipRule::kAlternating : FlipRule::kRandom;
  rule.cutout = spec.cutout();
  return rule;
}

std::string AugmentationInRecipe(const proto::TrainingSpec& spec) {
  if (!spec.augment()) {
    return ", no augmentation";
  }
  const bool reflects = spec.border() == proto::REFLECT, alternates = spec.flip() == proto::ALTERNATING;
  const std::string crop = absl::StrCat(", random crop", reflects ? " from a reflected border" : "");
  const std::string flip = alternates ? ", alternating flip" : reflects ? ", random flip" : " and flip";
  return absl::StrCat(crop, flip, spec.cutout() != 0 ? absl::StrCat(", cutout of ", spec.cutout(), " pixels") : "");
}

absl::Status CheckAugmentation(const proto::TrainingSpec& spec) {
  if (spec.augment()) {
    return absl::OkStatus();
  }
  if (spec.cutout() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("--cutout=", spec.cutout(), kWithoutAugmentation));
  }
  if (spec.border() == proto::REFLECT) {
    return absl::InvalidArgumentError(absl::StrCat("--border=reflect", kWithoutAugmentation));
  }
  return spec.flip() == proto::ALTERNATING
             ? absl::InvalidArgumentError(absl::StrCat("--flip=alternating", kWithoutAugmentation))
             : absl::OkStatus();
}

absl::Status CheckAugmentationFits(const proto::TrainingSpec& spec, ImageExtent extent) {
  const AugmentationRule rule = AugmentationRuleOf(spec);
  if (!spec.augment() || FitsExtent(rule, extent)) {
    return absl::OkStatus();
  }
  const uint32_t size = std::min(extent.height, extent.width);
  return absl::InvalidArgumentError(rule.cutout > size
                                        ? absl::StrCat("--cutout=", rule.cutout, ": expected at most ", size,
                                                       " pixels, the smaller side of the images")
                                        : absl::StrCat("--border=reflect: expected images of more than ", kCropPadding,
                                                       " pixels a side, found ", extent.height, "x", extent.width));
}

}  // namespace lockstep
