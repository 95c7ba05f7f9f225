#include "lib/cifar/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/status/status.h"
#include "lib/cifar/parallel_for.h"

namespace lockstep {
namespace {

// Sums over one plane of one image: at most 1,024 * 255^2 = 66,585,600, so 32 bits hold them.
struct PlaneSums {
  uint32_t sum = 0;
  uint32_t square_sum = 0;
};

PlaneSums SumPlane(const uint8_t* plane) {
  PlaneSums sums;
  for (uint32_t i = 0; i < kPlaneBytes; ++i) {
    const uint32_t byte = plane[i];
    sums.sum += byte;
    sums.square_sum += byte * byte;
  }
  return sums;
}

// n * sum(x^2) - sum(x)^2, which is n^2 times the population variance; exact, and never below 0.
double ScaledVariance(uint64_t n, uint64_t sum, uint64_t square_sum) {
  using Wide = unsigned __int128;  // 64 bits overflow from about 50,000 images on
  return static_cast<double>(static_cast<Wide>(n) * square_sum - static_cast<Wide>(sum) * sum);
}

// Of one channel over some images.
struct ChannelSums {
  uint64_t sum = 0;
  uint64_t square_sum = 0;
  double std_sum = 0;
};
using Sums = std::array<ChannelSums, kImageChannels>;

void AddImage(const uint8_t* image, Sums& sums) {
  const double plane = kPlaneBytes;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    const PlaneSums of_plane = SumPlane(image + c * kPlaneBytes);
    sums[c].sum += of_plane.sum;
    sums[c].square_sum += of_plane.square_sum;
    sums[c].std_sum +=
        std::sqrt(ScaledVariance(kPlaneBytes, of_plane.sum, of_plane.square_sum) / (plane * (plane - 1)));
  }
}

// Groups of images are summed each by one thread and then added in order: the same bits whatever the threads.
Sums SumImages(const std::vector<uint8_t>& pixels) {
  constexpr size_t kGroupImages = 1000;
  const size_t images = pixels.size() / kImageBytes;
  std::vector<Sums> groups((images + kGroupImages - 1) / kGroupImages);
  ParallelOptions options;
  options.block = 1;
  // A stop signal is its only error, and the caller's next question.
  ParallelFor(groups.size(), options, [&](size_t, size_t g) {
    for (size_t i = g * kGroupImages; i < std::min((g + 1) * kGroupImages, images); ++i) {
      AddImage(&pixels[i * kImageBytes], groups[g]);
    }
    return absl::OkStatus();
  }).IgnoreError();
  Sums total = {};
  for (const Sums& group : groups) {
    for (uint32_t c = 0; c < kImageChannels; ++c) {
      total[c].sum += group[c].sum;
      total[c].square_sum += group[c].square_sum;
      total[c].std_sum += group[c].std_sum;
    }
  }
  return total;
}

}  // namespace

proto::ChannelStatistics ComputeStatistics(const std::vector<uint8_t>& pixels) {
  const uint64_t images = pixels.size() / kImageBytes;
  const double count = static_cast<double>(images) * kPlaneBytes;  // pixels of a channel
  proto::ChannelStatistics statistics;
  for (const ChannelSums& sums : SumImages(pixels)) {
    statistics.add_mean(static_cast<double>(sums.sum) / count / 255);
    statistics.add_pixel_std(std::sqrt(ScaledVariance(images * kPlaneBytes, sums.sum, sums.square_sum)) / count / 255);
    statistics.add_image_std(sums.std_sum / static_cast<double>(images) / 255);
  }
  return statistics;
}

void DescribeImages(ImageSet& set) {
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
  *info.mutable_statistics() = ComputeStatistics(set.pixels);
}

}  // namespace lockstep
