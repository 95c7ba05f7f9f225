// What a split's pixels are like: the numbers that its description (DatasetInfo) carries.
//
// Two standard deviations are in use for CIFAR-10, and they differ by a fifth:
//
//     pixel_std  of all pixels of a channel together, population form (divisor n): .2470 .2435 .2616
//     image_std  the mean over images of each image's own, sample form (divisor 1,023): .2023 .1994 .2010
//
// image_std is what get_mean_and_std of github.com/kuangliu/pytorch-cifar (utils.py) computes, with torch.std's divisor
// n - 1, and what the lab normalises with.
#ifndef LOCKSTEP_LIB_CIFAR_STATISTICS_H_
#define LOCKSTEP_LIB_CIFAR_STATISTICS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// What is needed of one plane of one image.
struct PlaneSums {
  uint32_t sum = 0;         // at most 1,024 * 255 = 261,120
  uint32_t square_sum = 0;  // at most 1,024 * 255^2 = 66,585,600
  double std = 0;           // sample form, in bytes
};
using ImageSums = std::array<PlaneSums, kImageChannels>;

// Sums of one image of kImageBytes. For callers that have it at hand: a pass of its own over all images costs as much
// as reading them does.
ImageSums SumImage(const uint8_t* image);

// Statistics of all images, at least 1, in their order, in units of full scale (byte / 255). Sums are exact integers.
// The roundings to double at the end are below 1e-15 for mean and pixel_std and below n * 1e-16 for image_std.
proto::ChannelStatistics ComputeStatistics(const std::vector<ImageSums>& images);

// The same, to the bit, of `pixels`: uint8 (n, 3, 32, 32). On all cores.
proto::ChannelStatistics ComputeStatistics(absl::Span<const uint8_t> pixels);

// Sets counts, shape and statistics of set.info from its labels and `images` (its images' sums; without, its pixels).
// The labels must be below set.info.class_name_size().
void DescribeImages(ImageSet& set, const std::vector<ImageSums>& images);
void DescribeImages(ImageSet& set);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_STATISTICS_H_
