// Batch of a column of speed-ups or efficiencies that names no batch, next to inputs of several batches.
//
// A person computes such a column from one of its table's batches. The column therefore has one batch, whichever
// formula is believed: a number that only another batch gives does not follow.
#ifndef LOCKSTEP_LIB_AUDIT_COLUMN_BATCH_H_
#define LOCKSTEP_LIB_AUDIT_COLUMN_BATCH_H_

#include <cstdint>
#include <set>
#include <vector>

#include "lib/audit/conventions.h"
#include "lib/audit/document.h"
#include "lib/audit/trial.h"

namespace lockstep {

// Largest number of batches of a table that are tried, the smallest ones, so that the audit stays short.
inline constexpr size_t kMaxBatchesTried = 16;

// Returns the batches that `table` prints.
std::set<uint64_t> BatchesOf(const Document& document, int table);

// Appends the conventions of each batch of `table` for `cells`, which must be numbers of `table` that name no batch.
// The inputs of an appended convention are numbers of `table` only. Appends nothing if a plain formula computes one of
// `cells` from inputs of `table` that name no batch.
void AddBatches(const Document& document, int table, const std::vector<Cell*>& cells,
                std::vector<Convention>& conventions);

// Returns the batches of the conventions of `trials` that make numbers of the printed size; 0: the numbers' own.
std::set<uint64_t> BatchesOf(const std::vector<Trial>& trials);

// Trials of the batch of a column.
struct ColumnBatch {
  std::vector<Trial> trials;
  const Convention* alone = nullptr;  // convention that gives a single number, if none is believed for the column
};

// Returns the trials of the batch that gives the most of `cells`: by the conventions that would be believed for the
// column, or by a convention that beats chance for one number. Of several batches, chooses the one with the plainest
// believed convention; returns the trials of all batches between which this does not decide, except those that make the
// same numbers as an earlier one. Returns all trials if no batch gives any cell. `trials` must be the result of TryAll.
ColumnBatch ChooseBatch(std::vector<Trial> trials, const std::vector<Cell*>& cells);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_COLUMN_BATCH_H_
