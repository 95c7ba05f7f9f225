#include "lib/dist/data_parallel_times.h"

namespace lockstep {

void DataParallelClock::AddTo(DataParallelTimes& times) {
  for (size_t i = 0; i < marks_.size(); ++i) {
    const auto& [part, mark] = marks_[i];
    if (part != nullptr) {
      times.*part += mark.SecondsSince(marks_[i - 1].second);
    }
  }
  marks_.clear();
}

}  // namespace lockstep
