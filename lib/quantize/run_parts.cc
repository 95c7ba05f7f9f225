#include "lib/quantize/run_parts.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace lockstep {

void RunParts::Expect(std::string label, double passes) { parts_.push_back({std::move(label), passes}); }

double RunParts::PassesFrom(size_t part) const {
  double passes = 0;
  for (; part < parts_.size(); ++part) {
    passes += parts_[part].passes;
  }
  return passes;
}

ProgressPart RunParts::Begin(const std::string& label, double elapsed) {
  size_t found = next_;
  while (found < parts_.size() && parts_[found].label != label) {
    ++found;
  }
  if (found == parts_.size()) {
    return {label, -1};
  }
  done_passes_ += passes_;
  passes_ = parts_[found].passes;
  next_ = found + 1;
  const double later = PassesFrom(next_);
  return {absl::StrCat("part ", next_, " of ", parts_.size(), ": ", label), later == 0 ? 0
                                                                            : done_passes_ == 0
                                                                                ? -1
                                                                                : later * elapsed / done_passes_};
}

}  // namespace lockstep
