#include "lib/train/exchange_steps.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/fused/step_marks.h"

namespace lockstep {
namespace {

constexpr double kNano = 1e-9;

// Negative when `to` was before `from`.
double Seconds(uint64_t from, uint64_t to) { return static_cast<double>(static_cast<int64_t>(to - from)) * kNano; }

uint64_t At(const uint64_t* seams, StepMark mark) { return seams[static_cast<uint32_t>(mark)]; }

// A range is ready once backward has begun, and summed once it is ready; sums end in the order in which they were asked
// for. Behind the sums comes the update's end.
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
    ranges.push_back({Seconds(begin, ready), Seconds(begin, summed)});
    last_summed = summed;
  }
  return ranges;
}

}  // namespace

absl::StatusOr<std::vector<ExchangeStep>> ToExchangeSteps(const std::vector<uint64_t>& marks,
                                                          const std::vector<uint64_t>& range_marks) {
  const size_t count = marks.size() / kStepMarks;
  if (marks.size() != count * kStepMarks || range_marks.size() != count * kExchangeMarks) {
    return absl::InternalError(absl::StrCat(marks.size(), " and ", range_marks.size(), " marks of the GPU's clock are ",
                                            "not ", kStepMarks, " and ", kExchangeMarks, " for each step"));
  }
  if (std::all_of(range_marks.begin(), range_marks.end(), [](uint64_t mark) { return mark == 0; })) {
    return std::vector<ExchangeStep>();
  }
  std::vector<ExchangeStep> steps(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t* const seams = marks.data() + i * kStepMarks;
    ExchangeStep& step = steps[i];
    step.forward_seconds = Seconds(At(seams, StepMark::kBegin), At(seams, StepMark::kForwardDone));
    step.backward_seconds = Seconds(At(seams, StepMark::kForwardDone), At(seams, StepMark::kAllGradientsDone));
    step.update_seconds = Seconds(At(seams, StepMark::kAllGradientsDone), At(seams, StepMark::kUpdated));
    if (i + 1 < count) {
      step.between_seconds = Seconds(At(seams, StepMark::kUpdated), At(seams + kStepMarks, StepMark::kBegin));
    }
    ASSIGN_OR_RETURN(step.ranges, RangesOf(seams, range_marks.data() + i * kExchangeMarks, i));
  }
  return steps;
}

}  // namespace lockstep
