// Derivation of one printed number as text: its inputs, the formula with numbers, and the conventions that failed.
#ifndef LOCKSTEP_LIB_AUDIT_DERIVATION_H_
#define LOCKSTEP_LIB_AUDIT_DERIVATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/audit/number_choice.h"
#include "lib/published/published_tables.h"

namespace lockstep {

// Number of conventions that failed, and of further conventions that give the number, which a derivation lists.
inline constexpr size_t kOtherConventions = 3;

// Audits `file`, and returns lines that explain the verdict on `number`, which must be in `file`:
// - its digits, location and finding, and the range of values that round to the digits;
// - the convention that was found, else the nearest one: its inputs with their locations and ranges, the formula with
//   numbers, the result and its range within the rounding of the inputs, and the distance to the digits;
// - other conventions that give the digits, and those that came closest without giving them;
// - the sentence of the audit.
// A number that no formula was tried on has only the first and the last of these. Errors are those of Audit
// (lib/audit/audit.h).
absl::StatusOr<std::string> DerivationOf(const PublishedFile& file, const NumberIndex& number);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_DERIVATION_H_
