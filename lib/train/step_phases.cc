#include "lib/train/step_phases.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "lib/fused/step_timestamps.h"

namespace lockstep {
namespace {

class Row {
 public:
  explicit Row(const uint64_t* timestamps) : timestamps_(timestamps) {}

  uint64_t operator[](StepTimestamp index) const { return timestamps_[static_cast<uint32_t>(index)]; }

  bool InOrder() const { return std::is_sorted(timestamps_, timestamps_ + kStepTimestamps); }

  // Returns true if `next` begins after this step's gradients, and its forward pass ends after this step's update,
  // whose weights it needs.
  bool Precedes(const Row& next) const {
    return (*this)[StepTimestamp::kAllGradientsDone] <= next[StepTimestamp::kBegin] &&
           (*this)[StepTimestamp::kUpdated] <= next[StepTimestamp::kForwardDone];
  }

 private:
  const uint64_t* const timestamps_;
};

// Returns the durations of `step`. `before` is null for the first step, `next` for the last.
StepPhases PhasesOf(const Row& step, const Row* before, const Row* next) {
  StepPhases phases;
  const uint64_t made = step[StepTimestamp::kBatchMade];
  uint64_t forward_from = made;
  if (before != nullptr && (*before)[StepTimestamp::kUpdated] > step[StepTimestamp::kBegin]) {
    phases.batch_overlaps_update = true;
    forward_from = std::max(made, (*before)[StepTimestamp::kUpdated]);
  }
  phases.batch = made - step[StepTimestamp::kBegin];
  phases.forward = step[StepTimestamp::kForwardDone] - forward_from;
  phases.backward = step[StepTimestamp::kOwnBackwardDone] - step[StepTimestamp::kForwardDone];
  const uint64_t gradients = step[StepTimestamp::kAllGradientsDone], updated = step[StepTimestamp::kUpdated];
  phases.join = gradients - step[StepTimestamp::kOwnBackwardDone];
  if (next == nullptr) {
    phases.update = updated - gradients;
  } else if (updated <= (*next)[StepTimestamp::kBegin]) {
    phases.update = updated - gradients;
    phases.between = (*next)[StepTimestamp::kBegin] - updated;
  } else {
    phases.update = updated - std::min(updated, (*next)[StepTimestamp::kBatchMade]);
    phases.between = (*next)[StepTimestamp::kBegin] - gradients;
  }
  return phases;
}

}  // namespace

absl::StatusOr<std::vector<StepPhases>> ToStepPhases(const std::vector<uint64_t>& timestamps) {
  const size_t count = timestamps.size() / kStepTimestamps;
  if (timestamps.empty() || timestamps.size() != count * kStepTimestamps) {
    return absl::InternalError(
        absl::StrCat(timestamps.size(), " timestamps of the GPU are not ", kStepTimestamps, " for each step"));
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < count; ++i) {
    rows.emplace_back(timestamps.data() + i * kStepTimestamps);
    if (!rows[i].InOrder() || (i > 0 && !rows[i - 1].Precedes(rows[i]))) {
      return absl::InternalError(
          absl::StrCat("step ", i, ": a timestamp of the GPU is earlier than the one before it, or was not written"));
    }
  }
  std::vector<StepPhases> phases;
  for (size_t i = 0; i < count; ++i) {
    phases.push_back(PhasesOf(rows[i], i == 0 ? nullptr : &rows[i - 1], i + 1 == count ? nullptr : &rows[i + 1]));
  }
  return phases;
}

}  // namespace lockstep
