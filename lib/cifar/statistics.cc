#include "lib/cifar/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/status/status.h"
#include "lib/cifar/parallel_for.h"

namespace lockstep {
namespace {

// Returns n * sum(x^2) - sum(x)^2, which is n^2 times the population variance; exact, and never below 0.
double ScaledVariance(uint64_t n, uint64_t sum, uint64_t square_sum) {
  using Wide = unsigned __int128;  // 64 bits overflow from about 50,000 images on
  return static_cast<double>(static_cast<Wide>(n) * square_sum - static_cast<Wide>(sum) * sum);
}

PlaneSums SumPlane(const uint8_t* plane, size_t plane_bytes) {
  constexpr size_t kBlock = 65'536;  // the most squares of bytes whose sum 32 bits hold
  PlaneSums sums;
  for (size_t begin = 0; begin < plane_bytes; begin += kBlock) {
    const size_t end = std::min(begin + kBlock, plane_bytes);
    uint32_t sum = 0, square_sum = 0;
    for (size_t i = begin; i < end; ++i) {
      const uint32_t byte = plane[i];
      sum += byte;
      square_sum += byte * byte;
    }
    sums.sum += sum;
    sums.square_sum += square_sum;
  }
  const double pixels = static_cast<double>(plane_bytes);
  sums.std = std::sqrt(ScaledVariance(plane_bytes, sums.sum, sums.square_sum) / (pixels * (pixels - 1)));
  return sums;
}

// Sums of one channel over some images.
struct ChannelSums {
  uint64_t sum = 0;
  uint64_t square_sum = 0;
  double std_sum = 0;
};
using Sums = std::array<ChannelSums, kImageChannels>;

// Adds the sums of one image, or of several, to `sums`.
void Add(uint64_t sum, uint64_t square_sum, double std_sum, ChannelSums& sums) {
  sums.sum += sum;
  sums.square_sum += square_sum;
  sums.std_sum += std_sum;
}

// Adds the sums in groups, and the groups in order: the bits of a sum of 60,000 doubles depend on the order of adding,
// and records hold these bits.
Sums AddImages(const std::vector<ImageSums>& images) {
  constexpr size_t kGroupImages = 1000;
  Sums total = {};
  for (size_t begin = 0; begin < images.size(); begin += kGroupImages) {
    Sums group = {};
    for (size_t i = begin; i < std::min(begin + kGroupImages, images.size()); ++i) {
      for (uint32_t c = 0; c < kImageChannels; ++c) {
        Add(images[i][c].sum, images[i][c].square_sum, images[i][c].std, group[c]);
      }
    }
    for (uint32_t c = 0; c < kImageChannels; ++c) {
      Add(group[c].sum, group[c].square_sum, group[c].std_sum, total[c]);
    }
  }
  return total;
}

std::vector<ImageSums> SumImages(absl::Span<const uint8_t> pixels, size_t plane_bytes) {
  const size_t image_bytes = kImageChannels * plane_bytes;
  std::vector<ImageSums> images(pixels.size() / image_bytes);
  // A stop signal is the only error, and the caller checks for one next.
  ParallelFor(images.size(), {}, [&](size_t, size_t i) {
    images[i] = SumImage(&pixels[i * image_bytes], plane_bytes);
    return absl::OkStatus();
  }).IgnoreError();
  return images;
}

}  // namespace

ImageSums SumImage(const uint8_t* image, size_t plane_bytes) {
  ImageSums sums;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    sums[c] = SumPlane(image + c * plane_bytes, plane_bytes);
  }
  return sums;
}

proto::ChannelStatistics ComputeStatistics(const std::vector<ImageSums>& images, size_t plane_bytes) {
  const uint64_t pixels = images.size() * plane_bytes;  // number of pixels of a channel
  const double count = static_cast<double>(pixels);
  proto::ChannelStatistics statistics;
  for (const ChannelSums& sums : AddImages(images)) {
    statistics.add_mean(static_cast<double>(sums.sum) / count / 255);
    statistics.add_pixel_std(std::sqrt(ScaledVariance(pixels, sums.sum, sums.square_sum)) / count / 255);
    statistics.add_image_std(sums.std_sum / static_cast<double>(images.size()) / 255);
  }
  return statistics;
}

proto::ChannelStatistics ComputeStatistics(absl::Span<const uint8_t> pixels, size_t plane_bytes) {
  return ComputeStatistics(SumImages(pixels, plane_bytes), plane_bytes);
}

void DescribeImages(ImageSet& set, const std::vector<ImageSums>& images) {
  proto::DatasetInfo& info = set.info;
  info.set_image_count(static_cast<uint32_t>(set.size()));
  info.set_channels(kImageChannels);
  info.set_height(set.height());
  info.set_width(set.width());
  const std::vector<uint64_t> counts = CountClasses(set);
  info.mutable_class_count()->Assign(counts.begin(), counts.end());
  *info.mutable_statistics() = ComputeStatistics(images, set.image_bytes() / kImageChannels);
}

void DescribeImages(ImageSet& set) { DescribeImages(set, SumImages(set.pixels, set.image_bytes() / kImageChannels)); }

}  // namespace lockstep
