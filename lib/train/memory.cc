#include "lib/train/memory.h"

#include <algorithm>
#include <limits>

namespace lockstep {

uint32_t GuessLargestBatch(const std::vector<proto::SweepPoint>& points) {
  std::vector<const proto::SweepPoint*> predicted;
  for (const proto::SweepPoint& point : points) {
    if (point.outcome() == proto::COMPLETED && point.predicted_memory_bytes() != 0) {
      predicted.push_back(&point);
    }
  }
  if (predicted.size() < 2) {
    return 0;
  }
  const auto by_batch = [](const auto* a, const auto* b) { return a->batch_size() < b->batch_size(); };
  const proto::SweepPoint& small = **std::min_element(predicted.begin(), predicted.end(), by_batch);
  const proto::SweepPoint& large = **std::max_element(predicted.begin(), predicted.end(), by_batch);
  // During a captured step's replays, the allocator's peak does not include the memory that the graph holds.
  const uint64_t peak = std::max(large.timed_peak_memory_bytes(), large.predicted_memory_bytes());
  if (large.batch_size() == small.batch_size() || large.predicted_memory_bytes() <= small.predicted_memory_bytes() ||
      large.timed_peak_memory_bytes() == 0 || large.available_memory_bytes() < peak) {
    return 0;
  }
  const double per_image = static_cast<double>(large.predicted_memory_bytes() - small.predicted_memory_bytes()) /
                           (large.batch_size() - small.batch_size());
  const double more = static_cast<double>(large.available_memory_bytes() - peak) / per_image;
  constexpr double kMax = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(std::min(kMax, large.batch_size() + more));
}

}  // namespace lockstep
