#include "lib/train/step_parts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/fused/step_marks.h"
#include "lib/train/step_times.h"

namespace lockstep {
namespace {

constexpr double kNano = 1e-9;

// The part that begins with each mark. After the last mark of a step comes what lies between it and the next: its place
// in the epoch is moved on, and the next replay begins.
constexpr const char* kPartNames[kStepMarks] = {
    "batch", "forward and loss", "backward", "rest of the second stream", "optimizer", "between steps"};

// All readings are multiples of it, but for a common offset; 0 when they do not differ.
double Resolution(const std::vector<uint64_t>& marks) {
  uint64_t divisor = 0;
  for (size_t i = 1; i < marks.size(); ++i) {
    divisor = std::gcd(divisor, marks[i] - marks[i - 1]);
  }
  return static_cast<double>(divisor) * kNano;
}

// The part that begins with mark `begin` of each step. The last step has nothing between it and a next one.
proto::StepPart ToPart(const std::vector<uint64_t>& marks, uint32_t full_steps, uint32_t begin) {
  proto::StepPart part;
  part.set_name(kPartNames[begin]);
  std::vector<double> full_seconds;
  for (size_t i = begin, step = 0; i + 1 < marks.size(); i += kStepMarks, ++step) {
    const double seconds = static_cast<double>(marks[i + 1] - marks[i]) * kNano;
    part.set_epoch_seconds(part.epoch_seconds() + seconds);
    if (step < full_steps) {
      full_seconds.push_back(seconds);
    }
  }
  *part.mutable_full_steps() = ToStepTimes(std::move(full_seconds));
  return part;
}

}  // namespace

absl::StatusOr<MarkedSteps> ToMarkedSteps(const std::vector<uint64_t>& marks, uint32_t full_steps) {
  if (marks.empty() || marks.size() % kStepMarks != 0 || marks.size() / kStepMarks < full_steps) {
    return absl::InternalError(absl::StrCat(marks.size(), " marks of the GPU's clock are not ", kStepMarks,
                                            " for each of ", full_steps, " steps or more"));
  }
  if (!std::is_sorted(marks.begin(), marks.end())) {
    return absl::InternalError("the GPU's clock ran backwards between two marks of a step, or a mark was not written");
  }
  MarkedSteps steps;
  for (uint32_t mark = 0; mark < kStepMarks; ++mark) {
    *steps.parts.add_part() = ToPart(marks, full_steps, mark);
  }
  steps.parts.set_resolution_seconds(Resolution(marks));
  for (size_t step = 0; step < full_steps; ++step) {
    const uint64_t* const row = marks.data() + step * kStepMarks;
    steps.full_seconds.push_back(static_cast<double>(row[kStepMarks - 1] - row[0]) * kNano);
  }
  return steps;
}

}  // namespace lockstep
