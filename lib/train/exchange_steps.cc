#include "lib/train/exchange_steps.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/fused/step_timestamps.h"
#include "lib/statistics/unit.h"
#include "lib/train/step_phases.h"

namespace lockstep {
namespace {

double Seconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * kNanoseconds.size; }

uint64_t At(const uint64_t* timestamps, StepTimestamp index) { return timestamps[static_cast<uint32_t>(index)]; }

// Returns the ranges of one step. Checks the order of their timestamps: a range is ready after the backward pass has
// begun, and summed after it is ready; sums end in the order in which they were requested, and before the update's end.
absl::StatusOr<std::vector<ExchangedRange>> RangesOf(const uint64_t* step_timestamps, const uint64_t* range_timestamps,
                                                     size_t step) {
  std::vector<ExchangedRange> ranges;
  const uint64_t begin = At(step_timestamps, StepTimestamp::kForwardDone);
  uint64_t last_summed = begin;
  for (uint32_t range = 0; range < kMaxRanges && range_timestamps[range * kRangeTimestamps] != 0; ++range) {
    const uint64_t ready = range_timestamps[range * kRangeTimestamps + static_cast<uint32_t>(RangeTimestamp::kReady)];
    const uint64_t summed = range_timestamps[range * kRangeTimestamps + static_cast<uint32_t>(RangeTimestamp::kSummed)];
    if (ready < begin || summed < ready || summed < last_summed ||
        summed > At(step_timestamps, StepTimestamp::kUpdated)) {
      return absl::InternalError(absl::StrCat("step ", step, ", range ", range, ": the GPU's timestamps are ready at ",
                                              ready, " ns and summed at ", summed, ", in a step from ", begin, " to ",
                                              At(step_timestamps, StepTimestamp::kUpdated)));
    }
    ranges.push_back({Seconds(ready - begin), Seconds(summed - begin)});
    last_summed = summed;
  }
  return ranges;
}

}  // namespace

absl::StatusOr<std::vector<ExchangeStep>> ToExchangeSteps(const std::vector<uint64_t>& timestamps,
                                                          const std::vector<uint64_t>& range_timestamps) {
  ASSIGN_OR_RETURN(const std::vector<StepPhases> phases, ToStepPhases(timestamps));
  if (range_timestamps.size() != phases.size() * kExchangeTimestamps) {
    return absl::InternalError(absl::StrCat(range_timestamps.size(), " timestamps of the GPU are not ",
                                            kExchangeTimestamps, " for each of ", phases.size(), " steps"));
  }
  if (std::all_of(range_timestamps.begin(), range_timestamps.end(),
                  [](uint64_t timestamp) { return timestamp == 0; })) {
    return std::vector<ExchangeStep>();
  }
  std::vector<ExchangeStep> steps(phases.size());
  for (size_t i = 0; i < phases.size(); ++i) {
    const StepPhases& parts = phases[i];
    const bool next_batch = i + 1 < phases.size() && phases[i + 1].batch_overlaps_update;
    ExchangeStep& step = steps[i];
    step.forward_seconds = Seconds((parts.batch_overlaps_update ? 0 : parts.batch) + parts.forward);
    step.backward_seconds =
        Seconds(parts.backward + parts.join + (next_batch ? parts.between + phases[i + 1].batch : 0));
    step.update_seconds = Seconds(parts.update);
    step.between_seconds = Seconds(next_batch ? 0 : parts.between);
    ASSIGN_OR_RETURN(step.ranges, RangesOf(timestamps.data() + i * kStepTimestamps,
                                           range_timestamps.data() + i * kExchangeTimestamps, i));
  }
  return steps;
}

}  // namespace lockstep
