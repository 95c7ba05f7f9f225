// Conversion of one image from bytes to the network's input: random crop, random flip, normalisation.
//
// Equivalent to torchvision's RandomCrop((height, width), padding=4), RandomHorizontalFlip(0.5), ToTensor,
// Normalize(mean, std), in this order. The padding is black before the normalisation, so a padded value is (0 - mean) /
// std and not 0.
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

// Start of the crop within the image that is padded to 8 pixels more (40x40 of 32x32), and horizontal flip. The default
// gives the image itself.
struct Augmentation {
  uint32_t top = kCropPadding;   // 0 to 8
  uint32_t left = kCropPadding;  // 0 to 8
  bool flip = false;
};

// Draws an augmentation. It depends on (seed, epoch, image index) alone, and not on the worker or rank that prepares
// the image.
constexpr Augmentation DrawAugmentation(uint64_t seed, uint32_t epoch, uint32_t image_index) {
  CounterRandom random(seed, RandomPurpose::kAugmentation, epoch, image_index);
  Augmentation augmentation;
  augmentation.top = random.Below(2 * kCropPadding + 1);
  augmentation.left = random.Below(2 * kCropPadding + 1);
  augmentation.flip = random.Below(2) == 1;
  return augmentation;
}

// Values (byte / 255 - mean) / std in fp32 for each channel and byte, with the same roundings as ToTensor and
// Normalize.
using NormalizationTable = std::array<std::array<float, 256>, 3>;
NormalizationTable MakeNormalizationTable(const std::array<float, 3>& mean, const std::array<float, 3>& std);

// Writes the augmented image. `pixels`: uint8 (3, height, width). `out`: float (3, height, width), all values of which
// are written.
void AugmentImage(const uint8_t* pixels, const Augmentation& augmentation, const NormalizationTable& table, float* out,
                  ImageExtent extent = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_AUGMENT_H_
