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

// One convention against a whole column.
struct Trial {
  const Convention* convention = nullptr;
  std::vector<std::optional<Recomputed>> values;  // per cell
  Style style;                                    // the sharp one that gives the most cells; the plainest of several
  int given = 0;                                  // how many it gives
  int within = 0;                                 // how many lie within the rounding of its inputs
  // Whether that style says something of the column: all digits follow by it, and would hardly do so by chance if the
  // inputs had just been longer than printed.
  bool style_is_proven = false;
};

// One trial per convention, in their order, which stay where they are.
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
};

// What gives cell `i` in one of these styles, in the order of `trials`. Conventions with the same value are one
// explanation, be it from all digits or from intermediates as printed, and the first one stays; so are the same formula's styles, of which the trial's own goes before the
// plainest.
std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, size_t i, const PrintedNumber& printed,
                              Styles styles);

// How likely some convention as plain as this one gives these digits by chance; may exceed 1.
double ChanceOf(const Hit& hit, const std::vector<Trial>& trials, const PrintedNumber& printed);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRIAL_H_
