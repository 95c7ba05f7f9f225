// Pixel statistics of a split, as its description (DatasetInfo) holds them.
//
// Two standard deviations are in use for CIFAR-10, and they differ by a fifth:
//
//     pixel_std  std of all pixels of a channel together, population form (divisor n): .2470 .2435 .2616
//     image_std  mean over images of each image's std, sample form (divisor 1,023): .2023 .1994 .2010
//
// image_std is the result of get_mean_and_std of github.com/kuangliu/pytorch-cifar (utils.py), with torch.std's divisor
// n - 1. The lab normalises with it.
#ifndef LOCKSTEP_LIB_CIFAR_STATISTICS_H_
#define LOCKSTEP_LIB_CIFAR_STATISTICS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// Sums of one plane of one image.
struct PlaneSums {
  uint64_t sum = 0;
  uint64_t square_sum = 0;
  double std = 0;  // sample form, in bytes
};
using ImageSums = std::array<PlaneSums, kImageChannels>;

// Returns the sums of one image with planes of `plane_bytes`, at least 2. Meant for callers that have just read the
// image: a separate pass over all images costs as much as reading them.
ImageSums SumImage(const uint8_t* image, size_t plane_bytes = kPlaneBytes);

// Returns the statistics of all images, at least 1, in their order, in units of full scale (byte / 255). Sums are exact
// integers. The final roundings to double are below 1e-15 for mean and pixel_std and below n * 1e-16 for image_std.
proto::ChannelStatistics ComputeStatistics(const std::vector<ImageSums>& images, size_t plane_bytes = kPlaneBytes);

// Returns the same, bit for bit, for `pixels`: uint8 (n, 3, height, width) with planes of `plane_bytes`. Uses all
// cores.
proto::ChannelStatistics ComputeStatistics(absl::Span<const uint8_t> pixels, size_t plane_bytes = kPlaneBytes);

// Sets counts, shape and statistics of set.info from its labels and from `images` (the sums of its images) or its
// pixels. The size of the images is that of set.info, or 32x32 if it has none. Labels must be below
// set.info.class_name_size().
void DescribeImages(ImageSet& set, const std::vector<ImageSums>& images);
void DescribeImages(ImageSet& set);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_STATISTICS_H_
