// Conversion of one image from bytes to the network's input: cutout, random crop, random flip, normalisation.
//
// The default is equivalent to torchvision's RandomCrop((height, width), padding=4), RandomHorizontalFlip(0.5),
// ToTensor, Normalize(mean, std), in this order. The padding is black before the normalisation, so a padded value is
// (0 - mean) / std and not 0. An AugmentationRule changes the border of the crop and the flip, and adds a cutout, like
// the ResNet-18 baselines of KellerJordan/cifar10-zoo.
#ifndef LOCKSTEP_LIB_DATASET_AUGMENT_H_
#define LOCKSTEP_LIB_DATASET_AUGMENT_H_

#include <array>
#include <cstdint>

#include "lib/dataset/counter_random.h"

namespace lockstep {

inline constexpr uint32_t kCropPadding = 4;

// Height and width of an image.
struct ImageExtent {
  uint32_t height = 32;
  uint32_t width = 32;
};

// Pixels beyond the image that a crop shows: black, or the image mirrored at its border pixels, which are not repeated
// (reflect of torch.nn.functional.pad).
enum class CropBorder : uint32_t { kZero, kReflect };

// Choice of the images that are flipped: half of them, drawn anew in each epoch, or those of the first epoch in epochs
// 0, 2, 4, ... and the others in epochs 1, 3, 5, ...
enum class FlipRule : uint32_t { kRandom, kAlternating };

// Kind of augmentation. The default is torchvision's.
struct AugmentationRule {
  CropBorder border = CropBorder::kZero;
  FlipRule flip = FlipRule::kRandom;
  uint32_t cutout = 0;  // side in pixels of a square that is set to 0 after the normalisation, the mean colour; 0: none
};

// Returns true if the rule has a meaning for images of this extent: the cutout fits, and a reflected border has pixels
// to show.
constexpr bool FitsExtent(const AugmentationRule& rule, ImageExtent extent) {
  const uint32_t size = extent.height < extent.width ? extent.height : extent.width;
  return rule.cutout <= size && (rule.border == CropBorder::kZero || size > kCropPadding);
}

// Start of the crop within the image that is padded to 8 pixels more (40x40 of 32x32), horizontal flip, and cutout. The
// cutout comes first: the crop moves it, a reflected border mirrors it, and black padding hides it. The default gives
// the image itself.
struct Augmentation {
  uint32_t top = kCropPadding;   // 0 to 8
  uint32_t left = kCropPadding;  // 0 to 8
  bool flip = false;
  CropBorder border = CropBorder::kZero;
  uint32_t cutout = 0;       // side of the cutout in pixels
  uint32_t cutout_top = 0;   // first row of the cutout in the image
  uint32_t cutout_left = 0;  // first column of the cutout in the image
};

// Returns true if the cutout covers this pixel of the image.
constexpr bool IsCutOut(const Augmentation& augmentation, uint32_t y, uint32_t x) {
  return y - augmentation.cutout_top < augmentation.cutout && x - augmentation.cutout_left < augmentation.cutout;
}

// Returns the position within the image that a reflected border shows at `at`, which is at most kCropPadding below 0
// (as an unsigned number that wrapped around) or above `size` - 1.
constexpr uint32_t ReflectedPosition(uint32_t at, uint32_t size) {
  return at < size ? at : at < 2 * size ? 2 * (size - 1) - at : 0u - at;
}

// Draws the flip of an image in the first epoch.
constexpr bool DrawFirstFlip(uint64_t seed, uint32_t image_index) {
  CounterRandom random(seed, RandomPurpose::kAugmentation, 0, image_index);
  random.Below(2 * kCropPadding + 1);  // the draws of the crop
  random.Below(2 * kCropPadding + 1);
  return random.Below(2) == 1;
}

// Draws an augmentation. It depends on (seed, epoch, image index) alone, and not on the worker or rank that prepares
// the image. The draws of the cutout follow the others, so that they change neither crop nor flip. Each position of the
// cutout within the image is equally likely. FitsExtent(rule, extent) must be true.
constexpr Augmentation DrawAugmentation(uint64_t seed, uint32_t epoch, uint32_t image_index, AugmentationRule rule = {},
                                        ImageExtent extent = {}) {
  CounterRandom random(seed, RandomPurpose::kAugmentation, epoch, image_index);
  Augmentation augmentation;
  augmentation.border = rule.border;
  augmentation.top = random.Below(2 * kCropPadding + 1);
  augmentation.left = random.Below(2 * kCropPadding + 1);
  augmentation.flip = random.Below(2) == 1;
  if (rule.cutout != 0) {
    augmentation.cutout = rule.cutout;
    augmentation.cutout_top = random.Below(extent.height - rule.cutout + 1);
    augmentation.cutout_left = random.Below(extent.width - rule.cutout + 1);
  }
  if (rule.flip == FlipRule::kAlternating) {
    augmentation.flip = DrawFirstFlip(seed, image_index) != (epoch % 2 == 1);
  }
  return augmentation;
}

// Values (byte / 255 - mean) / std in fp32 for each channel and byte, with the same roundings as ToTensor and
// Normalize.
using NormalizationTable = std::array<std::array<float, 256>, 3>;
NormalizationTable MakeNormalizationTable(const std::array<float, 3>& mean, const std::array<float, 3>& std);

// Writes the augmented image. The extent must be that of the draw. `pixels`: uint8 (3, height, width). `out`: float
// (3, height, width), all values of which are written.
void AugmentImage(const uint8_t* pixels, const Augmentation& augmentation, const NormalizationTable& table, float* out,
                  ImageExtent extent = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_AUGMENT_H_
