#include "lib/cifar/statistics.h"

#include <cmath>

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

}  // namespace

proto::ChannelStatistics ComputeStatistics(const std::vector<uint8_t>& pixels) {
  const uint64_t images = pixels.size() / kImageBytes;
  const double plane = kPlaneBytes;
  const double count = plane * static_cast<double>(images);  // pixels of a channel
  proto::ChannelStatistics statistics;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    uint64_t sum = 0;
    uint64_t square_sum = 0;
    double std_sum = 0;
    for (uint64_t i = 0; i < images; ++i) {
      const PlaneSums sums = SumPlane(&pixels[i * kImageBytes + c * kPlaneBytes]);
      sum += sums.sum;
      square_sum += sums.square_sum;
      std_sum += std::sqrt(ScaledVariance(kPlaneBytes, sums.sum, sums.square_sum) / (plane * (plane - 1)));
    }
    statistics.add_mean(static_cast<double>(sum) / count / 255);
    statistics.add_pixel_std(std::sqrt(ScaledVariance(images * kPlaneBytes, sum, square_sum)) / count / 255);
    statistics.add_image_std(std_sum / static_cast<double>(images) / 255);
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
