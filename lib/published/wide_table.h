// Published tables as printed in a report: rows are devices or batches, columns are batches, devices or quantities.
//
//   # source: Table 2 of a paper, https://...
//   # images_per_epoch: 50000
//   Epoch time (s)                     <- line above the table; or `# quantity: epoch time` and `# unit: s`
//   batch,1 GPU,2 GPUs,4 GPUs
//   32,23.55,16.16,9.8
//   128,"1,024.5",OOM,-
//
// Quantity, unit, devices and batch of a number are stated by (the first that does):
// - the name of its column or row; these must not contradict each other. A unit after the number comes before both;
// - the first cell of the names, the line above the table, a remark of kTableKeys (remark_key.h);
// - for the batch of a column or row that names a quantity: the other columns, or rows, if these state one batch. A
//   column "speed-up" next to "batch 32: epoch time (s)" is of batch 32.
// A name that is only a number needs a word: "GPUs" in the first cell states it for the rows, "GPUs \ batch" for rows
// and columns, and so do `# rows: devices` and `# columns: batch`. label_words.h has the words.
//
// A table has the name of `# table: NAME`, or of a line "Table N" above it, or "Table N" as the N-th of the file.
#ifndef LOCKSTEP_LIB_PUBLISHED_WIDE_TABLE_H_
#define LOCKSTEP_LIB_PUBLISHED_WIDE_TABLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/published.pb.h"
#include "lib/published/number_lines.h"
#include "lib/published/table_blocks.h"
#include "lib/published/table_faults.h"

namespace lockstep {

// Returns the numbers of the tables, row by row. `faults` has the errors of ReadTableBlocks. DataLoss, with all errors,
// the line and the remedy of each:
// - a statement that is missing or contradicts another, a name that is not understood;
// - a cell that is neither a number nor blank, a unit of another quantity;
// - an unknown key of a remark, or a wrong value of a key;
// - an error of lib/published/published_check.h. `path` is used in messages only.
// Sets `lines`, unless it is null, to the line of every number.
absl::StatusOr<proto::PublishedTables> ReadWideTables(const TableBlocks& blocks, const std::string& path,
                                                      TableFaults faults, NumberLines* lines = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_WIDE_TABLE_H_
