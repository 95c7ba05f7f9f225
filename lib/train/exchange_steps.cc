#include "lib/train/exchange_steps.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/fused/step_marks.h"
#include "lib/train/step_seams.h"

namespace lockstep {
namespace {

constexpr double kSecondsPerNanosecond = 1e-9;

double Seconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * kSecondsPerNanosecond; }

uint64_t At(const uint64_t* seams, StepMark mark) { return seams[static_cast<uint32_t>(mark)]; }

// Returns the ranges of one step. Checks the order of their timestamps: a range is ready after the backward pass has
// begun, and summed after it is ready; sums end in the order in which they were requested, and before the update's end.
absl::StatusOr<std::vector<ExchangedRange>> RangesOf(const uint64_t* seams, const uint64_t* marks, size_t step) {
  std::vector<ExchangedRange> ranges;
  const uint64_t begin = At(seams, StepMark::kForwardDone);
  uint64_t last_summed = begin;
  for (uint32_t range = 0; range < kMaxRanges && marks[range * kRangeMarks] != 0; ++range) {
    const uint64_t ready = marks[range * kRangeMarks + static_cast<uint32_t>(RangeMark::kReady)];
    const uint64_t summed = marks[range * kRangeMarks + static_cast<uint32_t>(RangeMark::kSummed)];
    if (ready < begin || summed < ready || summed < last_summed || summed > At(seams, StepMark::kUpdated)) {
      return absl::InternalError(absl::StrCat("step ", step, ", range ", range, ": the GPU's clock says ready at ",
                                              ready, " ns and summed at ", summed, ", in a step from ", begin, " to ",
                                              At(seams, StepMark::kUpdated)));
    }
    ranges.push_back({Seconds(ready - begin), Seconds(summed - begin)});
    last_summed = summed;
  }
  return ranges;
}

}  // namespace

absl::StatusOr<std::vector<ExchangeStep>> ToExchangeSteps(const std::vector<uint64_t>& marks,
                                                          const std::vector<uint64_t>& range_marks) {
  ASSIGN_OR_RETURN(const std::vector<StepSeams> seams, ToStepSeams(marks));
  if (range_marks.size() != seams.size() * kExchangeMarks) {
    return absl::InternalError(absl::StrCat(range_marks.size(), " timestamps of the GPU are not ", kExchangeMarks,
                                            " for each of ", seams.size(), " steps"));
  }
  if (std::all_of(range_marks.begin(), range_marks.end(), [](uint64_t mark) { return mark == 0; })) {
    return std::vector<ExchangeStep>();
  }
  std::vector<ExchangeStep> steps(seams.size());
  for (size_t i = 0; i < seams.size(); ++i) {
    const StepSeams& parts = seams[i];
    const bool next_batch = i + 1 < seams.size() && seams[i + 1].batch_beside;
    ExchangeStep& step = steps[i];
    step.forward_seconds = Seconds((parts.batch_beside ? 0 : parts.batch) + parts.forward);
    step.backward_seconds =
        Seconds(parts.backward + parts.join + (next_batch ? parts.between + seams[i + 1].batch : 0));
    step.update_seconds = Seconds(parts.update);
    step.between_seconds = Seconds(next_batch ? 0 : parts.between);
    ASSIGN_OR_RETURN(step.ranges, RangesOf(marks.data() + i * kStepMarks, range_marks.data() + i * kExchangeMarks, i));
  }
  return steps;
}

}  // namespace lockstep
