// Conventions that give one printed number.
#ifndef LOCKSTEP_LIB_AUDIT_HIT_H_
#define LOCKSTEP_LIB_AUDIT_HIT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/audit/document.h"
#include "lib/audit/trial.h"

namespace lockstep {

// Styles that may explain a number.
enum class Styles {
  kSharp,           // all styles except `before_rounding`
  kColumn,          // the style proven for the whole column; the plainest style if none is proven
  kBeforeRounding,  // `before_rounding` alone: any value within the rounding of the inputs
};

// A convention that gives one cell, with the style and the value.
struct Hit {
  const Trial* trial;
  Style style;
  double value;
  Recomputed recomputed;
};

// Largest number of explanations kept for one number.
inline constexpr size_t kMaxExplanations = 100;

// Returns the conventions that give `cell` in one of these styles, in the order of `trials`; kMaxExplanations at most.
//   - Conventions with the same value, from all digits or from intermediates as printed, count as one explanation: the
//     first. So do several styles of one formula; the trial's own style is tried before the plainest.
//   - An explanation is left out if a right formula that is as plain gives the cell from inputs that people look for
//     earlier (InputsOf).
//   - Of explanations with one meaning and the same flags, the first is kept. Inputs labelled like the cell come first.
//   - Explanations that are less plain than the first one, or have inputs that people look for later, are left out. A
//     first one with a flag that the other does not have leaves out nothing, because it may be a false alarm.
std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, const Cell& cell, Styles styles);

// Returns the hits of the believed conventions of a column in the column's style; if there are none, those within the
// rounding of the inputs, which report no slip; else those in any style.
std::vector<Hit> HitsOfColumn(const std::vector<const Trial*>& believed, const Cell& cell);

// The plainest convention that gives one cell, with the probability that this is chance.
struct PlainHit {
  Hit hit;
  int tried = 1;      // number of different conventions, as plain or plainer, that make a number of the printed size
  double chance = 1;  // probability that one of these conventions gives such digits
};

// Returns the first of `trials` that gives `cell` in a sharp style. `trials` must be the whole result of TryAll, in
// order.
std::optional<PlainHit> PlainestHit(const std::vector<Trial>& trials, const Cell& cell);

// Does the same for the conventions of one batch (Convention::batch). The chance is that of all `trials`, which were
// tried, too.
std::optional<PlainHit> PlainestHitOfBatch(uint64_t batch, const std::vector<Trial>& trials, const Cell& cell);

// Returns the first of `trials` that gives `cell` by rounding, or within the rounding of its inputs, and is a right
// formula or has no departures. `trials` must be the whole result of TryAll, in order.
std::optional<PlainHit> RightHit(const std::vector<Trial>& trials, const Cell& cell);

// Returns the flags of one explanation: those of its formula and those of its place.
std::vector<std::string> FlagsOf(const Hit& hit);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_HIT_H_
