// Conventions tried on one number, as text.
#ifndef LOCKSTEP_LIB_AUDIT_ATTEMPT_H_
#define LOCKSTEP_LIB_AUDIT_ATTEMPT_H_

#include <string>
#include <vector>

#include "lib/audit/document.h"
#include "lib/audit/observed_audit.h"

namespace lockstep {

// One input of a convention. `value` points into the document's tables.
struct AttemptInput {
  int table = 0;
  const proto::PublishedValue* value = nullptr;
  double used = 0;   // value in the formula; may have more digits than are printed
  double slack = 0;  // largest error of `used`
};

// Result of one convention for the number. Unlike a Recomputed it stays valid without the document's cells.
struct Attempt {
  std::string convention;  // text of the convention
  std::string formula;     // its formula with numbers
  int departures = 0;      // distance from the plainest reading
  std::vector<std::string> flags;
  std::vector<AttemptInput> inputs;
  double value = 0;
  double from_printed = 0;  // value from intermediates as printed
  double slack = 0;         // largest error of `value` because of the rounding of its inputs
};

// Returns one attempt for each convention of `column` that applies to `cell`, which must be one of its cells, the
// plainest first.
std::vector<Attempt> AttemptsOn(const JudgedColumn& column, const Cell& cell);

// Returns true if the value rounds to the printed digits or, cut off, gives them, also from intermediates as printed.
bool GivesDigits(const Attempt& attempt, const PrintedNumber& printed);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_ATTEMPT_H_
