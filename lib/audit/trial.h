// Tries conventions on a column of printed numbers, and says which of them are believed.
#ifndef LOCKSTEP_LIB_AUDIT_TRIAL_H_
#define LOCKSTEP_LIB_AUDIT_TRIAL_H_

#include <array>
#include <optional>
#include <vector>

#include "lib/audit/chance.h"
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

// The styles that are tried, the plainest first.
inline constexpr std::array<Style, 4> kStyles = {
    {{false, false, false}, {true, false, false}, {false, true, false}, {true, true, false}}};
inline constexpr Style kBeforeRounding = {false, false, true};

// Returns true if `recomputed` becomes the printed digits in this style.
bool Gives(const Recomputed& recomputed, const Style& style, const PrintedNumber& printed);

// Returns the number of styles in kStyles up to `style`. Without `printed_differ`, intermediates as printed are no styles
// of their own and do not count.
int StylesUpTo(const Style& style, bool printed_differ);

// Places of a convention's inputs, in the order in which people look for inputs. A label is a column's context.
enum class InputsOf {
  kOwnTable,           // the table of the numbers themselves, columns of one label; also if there are no inputs
  kOwnTablesLabels,    // the same table, columns of several labels
  kOtherTable,         // another table, columns of one label
  kOtherTablesLabels,  // another table, columns of several labels
  kSeveralTables,      // two or more
};

// Returns where `inputs` stand, for a number of `table`.
InputsOf PlaceOf(const std::vector<const Cell*>& inputs, int table);

// Cells that a convention gives, and how likely some convention as plain gives as many of them by chance.
struct Evidence {
  int cells = 0;
  double chance = 1;
  double level = kSearchLevel;

  bool BeatsChance() const { return cells > 0 && chance < level; }
};

// One convention against a whole column. The values themselves are not kept, because many conventions times many numbers
// are gigabytes: whoever needs one evaluates the convention again.
struct Trial {
  const Convention* convention = nullptr;
  InputsOf inputs_of = InputsOf::kOwnTable;
  Style style;      // the sharp one that gives the most cells; the plainest of several
  Evidence given;   // cells that it gives in that style
  Evidence within;  // cells that lie within the rounding of its inputs
  // Whether that style says something of the column: all digits follow by it, and would hardly do so by chance if the
  // inputs had just been longer than printed.
  bool style_is_proven = false;
  int of_size = 0;           // number of cells for which its value is of the printed size
  uint64_t fingerprint = 0;  // fingerprint of the values that it makes
};

// Returns true if `a` has fewer departures than `b`, or as many and inputs of tables that people look at first.
bool IsPlainer(const Trial& a, const Trial& b);

// Evaluates `convention` for the place of `cell`. Returns nothing if an input is not in the document.
std::optional<Recomputed> ValueFor(const Convention& convention, const Cell& cell);

// Returns one trial per convention, the plainer ones first (IsPlainer). `conventions` must outlive the result. Returns fewer if a stop signal came
// (lib/base/stop_signal.h); their evidence is void then.
std::vector<Trial> TryAll(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells);

// Returns the trials that beat chance and give the most cells, if these are half of `cells` or more; of these the ones
// that contradict the document the least, the plainest first.
std::vector<const Trial*> MostBelieved(const std::vector<Trial>& trials, size_t cells);

// Returns the trials within whose inputs' rounding every cell lies, if that beats chance. Meant for a column that
// MostBelieved explains by nothing. Of several the least contradicting, and of these those with the fewest departures.
std::vector<const Trial*> WithinRounding(const std::vector<Trial>& trials, size_t cells);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRIAL_H_
