// Tries conventions on a column of printed numbers, and ranks them.
#ifndef LOCKSTEP_LIB_AUDIT_TRIAL_H_
#define LOCKSTEP_LIB_AUDIT_TRIAL_H_

#include <optional>
#include <vector>

#include "lib/audit/conventions.h"
#include "lib/audit/document.h"
#include "lib/published/printed_number.h"

namespace lockstep {

// How a value became digits.
struct Style {
  bool from_printed = false;     // intermediates as the document prints them
  bool truncated = false;        // digits cut off instead of rounded
  bool before_rounding = false;  // inputs that the document rounded for print, but computed with all digits
};

// Which styles may explain a number.
enum class Styles {
  kSharp,           // all but `before_rounding`
  kColumn,          // the one proven for the whole column; where none is, the plainest
  kBeforeRounding,  // only that: any value within the inputs' own rounding
};

// Whether `recomputed` becomes the printed digits in this style.
bool Gives(const Recomputed& recomputed, const Style& style, const PrintedNumber& printed);

// One convention against a whole column. The values themselves are not kept, because many conventions times many numbers
// are gigabytes: whoever needs one evaluates the convention again.
struct Trial {
  const Convention* convention = nullptr;
  Style style;     // the sharp one that gives the most cells; the plainest of several
  int given = 0;   // number of cells that it gives
  int within = 0;  // number of cells that lie within the rounding of its inputs
  // Whether that style says something of the column: all digits follow by it, and would hardly do so by chance if the
  // inputs had just been longer than printed.
  bool style_is_proven = false;
};

// Evaluates `convention` for the place of `cell`. Returns nothing if an input is not in the document.
std::optional<Recomputed> ValueFor(const Convention& convention, const Cell& cell);

// Returns one trial per convention, in the order of `conventions`, which must be sorted by departures and outlive the
// result. Returns fewer if a stop signal came (lib/base/stop_signal.h).
std::vector<Trial> TryAll(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells);

// The trials that give the most cells (none when none gives any), and of these the ones that contradict the document
// the least; the plainest first.
std::vector<const Trial*> MostBelieved(const std::vector<Trial>& trials);

// Where no trial gives half of a column: those within whose inputs' rounding every cell lies, none when that is likely
// by chance or there is one cell only. The least contradicting, and of these the plainest.
std::vector<const Trial*> WithinRounding(const std::vector<Trial>& trials, const std::vector<Cell*>& cells);

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
// so are the same formula's styles, of which the trial's own goes before the plainest.
std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, const Cell& cell, Styles styles);

// Returns the first of DistinctHits, without the others.
std::optional<Hit> FirstHit(const std::vector<const Trial*>& trials, const Cell& cell, Styles styles);

// Returns how likely some convention as plain as this one gives these digits by chance; may exceed 1. `trials` must be
// TryAll's, in its order.
double ChanceOf(const Hit& hit, const std::vector<Trial>& trials, const PrintedNumber& printed);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRIAL_H_
