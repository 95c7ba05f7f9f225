#include "lib/train/step_seams.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "lib/fused/step_marks.h"

namespace lockstep {
namespace {

class Row {
 public:
  explicit Row(const uint64_t* marks) : marks_(marks) {}

  uint64_t operator[](StepMark mark) const { return marks_[static_cast<uint32_t>(mark)]; }

  bool InOrder() const { return std::is_sorted(marks_, marks_ + kStepMarks); }

  // Returns true if `next` begins after this step's gradients, and its forward pass ends after this step's update,
  // whose weights it needs.
  bool Precedes(const Row& next) const {
    return (*this)[StepMark::kAllGradientsDone] <= next[StepMark::kBegin] &&
           (*this)[StepMark::kUpdated] <= next[StepMark::kForwardDone];
  }

 private:
  const uint64_t* const marks_;
};

// Returns the durations of `step`. `before` is null for the first step, `next` for the last.
StepSeams SeamsOf(const Row& step, const Row* before, const Row* next) {
  StepSeams seams;
  const uint64_t made = step[StepMark::kBatchMade];
  uint64_t forward_from = made;
  if (before != nullptr && (*before)[StepMark::kUpdated] > step[StepMark::kBegin]) {
    seams.batch_beside = true;
    forward_from = std::max(made, (*before)[StepMark::kUpdated]);
  }
  seams.batch = made - step[StepMark::kBegin];
  seams.forward = step[StepMark::kForwardDone] - forward_from;
  seams.backward = step[StepMark::kOwnBackwardDone] - step[StepMark::kForwardDone];
  const uint64_t gradients = step[StepMark::kAllGradientsDone], updated = step[StepMark::kUpdated];
  seams.join = gradients - step[StepMark::kOwnBackwardDone];
  if (next == nullptr) {
    seams.update = updated - gradients;
  } else if (updated <= (*next)[StepMark::kBegin]) {
    seams.update = updated - gradients;
    seams.between = (*next)[StepMark::kBegin] - updated;
  } else {
    seams.update = updated - std::min(updated, (*next)[StepMark::kBatchMade]);
    seams.between = (*next)[StepMark::kBegin] - gradients;
  }
  return seams;
}

}  // namespace

absl::StatusOr<std::vector<StepSeams>> ToStepSeams(const std::vector<uint64_t>& marks) {
  const size_t count = marks.size() / kStepMarks;
  if (marks.empty() || marks.size() != count * kStepMarks) {
    return absl::InternalError(
        absl::StrCat(marks.size(), " timestamps of the GPU are not ", kStepMarks, " for each step"));
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < count; ++i) {
    rows.emplace_back(marks.data() + i * kStepMarks);
    if (!rows[i].InOrder() || (i > 0 && !rows[i - 1].Precedes(rows[i]))) {
      return absl::InternalError(
          absl::StrCat("step ", i, ": a timestamp of the GPU is earlier than the one before it, or was not written"));
    }
  }
  std::vector<StepSeams> seams;
  for (size_t i = 0; i < count; ++i) {
    seams.push_back(SeamsOf(rows[i], i == 0 ? nullptr : &rows[i - 1], i + 1 == count ? nullptr : &rows[i + 1]));
  }
  return seams;
}

}  // namespace lockstep
