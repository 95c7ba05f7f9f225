// Tries conventions on a column of printed numbers and selects the conventions that are believed.
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

// Way in which a value became printed digits.
struct Style {
  bool from_printed = false;     // intermediates as the document prints them
  bool truncated = false;        // digits cut off instead of rounded
  bool before_rounding = false;  // inputs that the document rounded for print but used with all digits
};

// Styles that are tried, the plainest first.
inline constexpr std::array<Style, 4> kStyles = {
    {Style{}, Style{.from_printed = true}, Style{.truncated = true}, Style{.from_printed = true, .truncated = true}}};
inline constexpr Style kBeforeRounding = {.before_rounding = true};

// Returns true if `recomputed` becomes the printed digits in this style.
bool Gives(const Recomputed& recomputed, const Style& style, const PrintedNumber& printed);

// Returns the number of styles in kStyles up to `style`. If `printed_differ` is false, styles with intermediates as
// printed do not count, because they give the same values.
int StylesUpTo(const Style& style, bool printed_differ);

// Place of a convention's inputs, in the order in which people look for inputs. A label is a column's context.
enum class InputsOf {
  kOwnTable,           // the table of the numbers themselves, columns of one label; also if there are no inputs
  kOwnTablesLabels,    // the same table, columns of several labels
  kOtherTable,         // another table, columns of one label
  kOtherTablesLabels,  // another table, columns of several labels
  kSeveralTables,      // two or more tables
};

// Returns the place of `inputs` for a number of `table`.
InputsOf PlaceOf(const std::vector<const Cell*>& inputs, int table);

// Number of cells that a convention gives, and the chance that some convention at least as plain gives as many.
struct Evidence {
  int cells = 0;
  double chance = 1;
  double level = kSearchLevel;

  bool BeatsChance() const { return cells > 0 && chance < level; }
};

// Result of one convention for a whole column. The values are not kept, because those of many conventions for many
// numbers take gigabytes; call ValueFor to compute a value again.
struct Trial {
  const Convention* convention = nullptr;
  InputsOf inputs_of = InputsOf::kOwnTable;
  Style style;      // the sharp style that gives the most cells; the plainest of several
  Evidence given;   // cells that it gives in that style
  Evidence within;  // cells that lie within the rounding of its inputs
  // True if the style applies to the whole column: all digits follow by it, and would hardly do so by chance if the
  // inputs had only been longer than printed.
  bool style_is_proven = false;
  int of_size = 0;           // number of cells for which the convention's value has the printed size
  uint64_t fingerprint = 0;  // fingerprint of the convention's values
};

// Returns true if `a` has fewer departures than `b`, or as many departures and an earlier place of inputs (InputsOf).
bool IsPlainer(const Trial& a, const Trial& b);

// Returns the value of `convention` at the place of `cell`, or nothing if an input is not in the document.
std::optional<Recomputed> ValueFor(const Convention& convention, const Cell& cell);

// Returns one trial per convention, the plainer ones first (IsPlainer). `conventions` must outlive the result. After a
// stop signal (lib/base/stop_signal.h), returns fewer trials, and their evidence must not be used.
std::vector<Trial> TryAll(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells);

// Returns the trials that beat chance and give the most cells, if these are at least half of `cells`. Of several
// trials, returns those that contradict the document the least, the plainest first.
std::vector<const Trial*> BestSupported(const std::vector<Trial>& trials, size_t cells);

// Returns the trials for which every cell lies within the rounding of the inputs, if this beats chance. Meant for a
// column for which BestSupported returns nothing. Of several trials, returns the least contradicting; of these, those
// with the fewest departures.
std::vector<const Trial*> WithinRounding(const std::vector<Trial>& trials, size_t cells);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_TRIAL_H_
