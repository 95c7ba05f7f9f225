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

PlaneSums SumPlane(const uint8_t* plane) {
  PlaneSums sums;
  for (uint32_t i = 0; i < kPlaneBytes; ++i) {
    const uint32_t byte = plane[i];
    sums.sum += byte;
    sums.square_sum += byte * byte;
  }
  const double pixels = kPlaneBytes;
  sums.std = std::sqrt(ScaledVariance(kPlaneBytes, sums.sum, sums.square_sum) / (pixels * (pixels - 1)));
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

std::vector<ImageSums> SumImages(absl::Span<const uint8_t> pixels) {
  std::vector<ImageSums> images(pixels.size() / kImageBytes);
  // A stop signal is the only error, and the caller checks for one next.
  ParallelFor(images.size(), {}, [&](size_t, size_t i) {
    images[i] = SumImage(&pixels[i * kImageBytes]);
    return absl::OkStatus();
  }).IgnoreError();
  return images;
}

}  // namespace

ImageSums SumImage(const uint8_t* image) {
  ImageSums sums;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    sums[c] = SumPlane(image + c * kPlaneBytes);
  }
  return sums;
}

proto::ChannelStatistics ComputeStatistics(const std::vector<ImageSums>& images) {
  const uint64_t pixels = images.size() * kPlaneBytes;  // number of pixels of a channel
  const double count = static_cast<double>(pixels);
  proto::ChannelStatistics statistics;
  for (const ChannelSums& sums : AddImages(images)) {
    statistics.add_mean(static_cast<double>(sums.sum) / count / 255);
    statistics.add_pixel_std(std::sqrt(ScaledVariance(pixels, sums.sum, sums.square_sum)) / count / 255);
    statistics.add_image_std(sums.std_sum / static_cast<double>(images.size()) / 255);
  }
  return statistics;
}

proto::ChannelStatistics ComputeStatistics(absl::Span<const uint8_t> pixels) {
  return ComputeStatistics(SumImages(pixels));
}

void DescribeImages(ImageSet& set, const std::vector<ImageSums>& images) {
  proto::DatasetInfo& info = set.info;
  info.set_image_count(static_cast<uint32_t>(set.size()));
  info.set_channels(kImageChannels);
  info.set_height(kImageHeight);
  info.set_width(kImageWidth);
  info.mutable_class_count()->Resize(info.class_name_size(), 0);
  for (int label = 0; label < info.class_name_size(); ++label) {
    info.set_class_count(label, 0);
  }
  for (const uint8_t label : set.labels) {
    info.set_class_count(label, info.class_count(label) + 1);
  }
  *info.mutable_statistics() = ComputeStatistics(images);
}

void DescribeImages(ImageSet& set) { DescribeImages(set, SumImages(set.pixels)); }

}  // namespace lockstep
