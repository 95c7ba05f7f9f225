// Conventions that give one printed number.
#ifndef LOCKSTEP_LIB_AUDIT_HIT_H_
#define LOCKSTEP_LIB_AUDIT_HIT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/audit/document.h"
#include "lib/audit/trial.h"

namespace lockstep {

// Styles that may explain a number.
enum class Styles {
  kSharp,           // all but `before_rounding`
  kColumn,          // the one proven for the whole column; where none is, the plainest
  kBeforeRounding,  // only that: any value within the inputs' own rounding
};

// A convention that gives one cell, and how.
struct Hit {
  const Trial* trial;
  Style style;
  double value;
  Recomputed recomputed;
};

// Largest number of explanations of one number that are kept.
inline constexpr size_t kMaxExplanations = 100;

// Returns what gives `cell` in one of these styles, in the order of `trials`; kMaxExplanations at most. Conventions with
// the same value are one explanation, be it from all digits or from intermediates as printed, and the first one stays;
// so are the same formula's styles, of which the trial's own goes before the plainest. Explanations by inputs that people
// look for later (InputsOf) are left out where a right formula that is as plain gives the cell by earlier ones.
std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, const Cell& cell, Styles styles);

// The plainest convention that gives one cell, and what it is worth.
struct PlainHit {
  Hit hit;
  int tried = 1;      // number of different conventions as plain that make a number of the printed size
  double chance = 1;  // probability that one of them gives such digits
};

// Returns the first of `trials`, which must be all of TryAll in its order, that gives `cell` in a sharp style.
std::optional<PlainHit> PlainestHit(const std::vector<Trial>& trials, const Cell& cell);

// Returns the first of `trials`, which must be all of TryAll in its order, that is a right formula, or the plainest, and
// gives `cell` by rounding, be it before the rounding of its inputs.
std::optional<PlainHit> RightHit(const std::vector<Trial>& trials, const Cell& cell);

// Returns what is wrong with one explanation: with its formula, and with it at this place.
std::vector<std::string> FlagsOf(const Hit& hit);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_HIT_H_
