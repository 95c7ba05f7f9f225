// Meaning of names of rows and columns that are only numbers: devices or batches.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_AXES_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_AXES_H_

#include "absl/strings/string_view.h"
#include "lib/published/left_out_names.h"
#include "lib/published/table_blocks.h"
#include "lib/published/table_faults.h"
#include "lib/published/table_names.h"

namespace lockstep {

// Remedy for a name that is not understood, at the end of an error.
inline constexpr absl::string_view kContextRemedy =
    ", or give these numbers a table of their own with `# context: WORDS`";

// Makes the number of a label its devices or its batch. `axis` must not be kNone.
void AssignNumber(TableAxis axis, TableLabel& label);

// Gives the numbers of `names` that have no word of their own the meaning that the first cell, the line above the table
// or a remark states. Adds errors to `faults` for numbers without a meaning. A column with numbers whose name is not
// understood is added to `left_out` if another column is understood, and otherwise to `faults`.
void AssignAxes(const TableBlock& block, CommaMeaning comma, const StatedAxes& stated, TableNames& names,
                LeftOutNames& left_out, TableFaults& faults);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_AXES_H_
