#include "lib/data_parallel/data_parallel_times.h"

namespace lockstep {

void DataParallelClock::AddTo(DataParallelTimes& times) {
  for (size_t i = 0; i < timestamps_.size(); ++i) {
    const auto& [part, timestamp] = timestamps_[i];
    if (part != nullptr) {
      times.*part += timestamp.SecondsSince(timestamps_[i - 1].second);
    }
  }
  timestamps_.clear();
}

}  // namespace lockstep
