// Images made from a seed: the data set for whoever has none at hand, and for tests.
//
// Ten classes. A class is a smooth random colour pattern (6x6 knots, bilinear, 40x40). An image of it is
//   - its class's pattern, shifted by up to 8 pixels either way, mirrored half of the time,
//   - blended with another class's pattern that gets 0 to 45 % of the weight, so that some images are nearly a tie,
//   - on a smooth random background of its own (5x5 knots), which says nothing of the class,
//   - with its own contrast (60 to 100 %) and a shift of each colour,
//   - and noise on every pixel.
// So a network has to find a pattern of low contrast wherever it lies, and does not get every image right.
//
// All arithmetic is on integers, and every image has its own random stream: the bytes are the same on every platform, and
// image i is the same whatever the number of images.
#ifndef LOCKSTEP_LIB_CIFAR_SYNTHETIC_H_
#define LOCKSTEP_LIB_CIFAR_SYNTHETIC_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// A data set is held in memory; a million images are 3 GB.
inline constexpr uint32_t kMaxSyntheticImages = 1'000'000;

struct SyntheticOptions {
  uint32_t train_images = 2048;  // 1 to kMaxSyntheticImages. The default keeps the lab on two CPU cores to minutes
  uint32_t test_images = 512;    // in the same range. With 512 an accuracy's standard error is at most 2.2 points
  uint64_t seed = 0;             // patterns and images
};

// Image i of a split has label i % 10. Complete with counts, statistics and the note "synthetic, seed ...".
// InvalidArgument: an image count out of range. Cancelled: a stop signal came.
absl::StatusOr<Dataset> MakeSynthetic(const SyntheticOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_SYNTHETIC_H_
