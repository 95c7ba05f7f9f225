// Synthetic images from a seed: a data set for users without CIFAR-10, and for tests.
//
// Ten classes of 32x32 pixels, unless the options ask for others. A class is a smooth random colour pattern (a knot
// every 8 pixels, bilinear, 8 pixels larger than an image). An image of the class is
//   - its class's pattern, shifted by up to 8 pixels either way, mirrored half of the time,
//   - blended with another class's pattern that gets 0 to 45 % of the weight, so that some images are nearly a tie,
//   - on a smooth random background of its own (a knot every 8 pixels), which is independent of the class,
//   - with its own contrast (60 to 100 %) and a shift of each colour,
//   - and noise on every pixel.
// Hence a network must find a pattern of low contrast at any position, and does not classify every image correctly.
//
// All arithmetic is on integers, and every image has its own random stream: the bytes are the same on every platform,
// and image i is the same whatever the number of images.
#ifndef LOCKSTEP_LIB_CIFAR_SYNTHETIC_H_
#define LOCKSTEP_LIB_CIFAR_SYNTHETIC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Largest number of images of a split: a data set is held in memory, and a million images have 3 GB.
inline constexpr uint32_t kMaxSyntheticImages = 1'000'000;

// Limits of classes and image sides. The patterns of 1,000 classes of 256x256 take 840 MB.
inline constexpr uint32_t kMinSyntheticClasses = 2;
inline constexpr uint32_t kMaxSyntheticClasses = 1000;
inline constexpr uint32_t kMinSyntheticSize = 8;
inline constexpr uint32_t kMaxSyntheticSize = 256;

struct SyntheticOptions {
  uint32_t train_images = 2048;  // 1 to kMaxSyntheticImages. With the default, the lab takes minutes on two CPU cores
  uint32_t test_images = 512;    // same range. With 512, the standard error of an accuracy is at most 2.2 points
  uint64_t seed = 0;             // seed of patterns and images
  uint32_t classes = 10;         // kMinSyntheticClasses to kMaxSyntheticClasses
  uint32_t size = 32;            // height and width in pixels, kMinSyntheticSize to kMaxSyntheticSize
};

// Returns a complete data set: image i of a split has label i % classes, with counts, statistics and the note
// "synthetic, seed ...". InvalidArgument: an option is out of range. Cancelled: a stop signal came.
absl::StatusOr<Dataset> MakeSynthetic(const SyntheticOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_SYNTHETIC_H_
