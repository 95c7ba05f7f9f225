// Statements of the names of a row and a column about one number of a printed table.
#ifndef LOCKSTEP_LIB_PUBLISHED_NUMBER_LABELS_H_
#define LOCKSTEP_LIB_PUBLISHED_NUMBER_LABELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"
#include "lib/published/table_cell.h"
#include "lib/published/table_label.h"

namespace lockstep {

// Labels that state something about a number; earlier ones come first. The first two are those of column and row; `own`
// below is the union of both. The others are the first cell of the names, the line above the table, and the remarks.
using NumberLabels = std::vector<const TableLabel*>;

// Returns "Table 2" of "Table 2: epoch time", and removes it from `title`; empty if the title begins otherwise.
std::string TakeTableName(absl::string_view& title);

// Returns the quantity of a number. A "training time" is the time of an epoch or iteration if a line above the table or
// a remark states one, and a quantity of a row or column "ideal" is that under linear scaling. Returns
// InvalidArgumentError, with the remedy, if no label states a quantity.
absl::StatusOr<proto::PublishedQuantity> QuantityOf(const TableLabel& own, const NumberLabels& labels);

// Returns the unit of a number; one from outside of row and column only if it fits.
std::string UnitOfNumber(const TableCell& cell, const TableLabel& own, const NumberLabels& labels,
                         proto::PublishedQuantity quantity);

// Sets devices, batch and base of `value`, as far as a label states them.
void SetPlace(const TableLabel& own, const NumberLabels& labels, proto::PublishedValue& value);

// Returns the batch that `labels` state, the names of all columns or of all rows of a table; 0 if they state no batch
// or several.
uint64_t OnlyBatch(const std::vector<const TableLabel*>& labels);

// Batches that the names of all columns, and of all rows, of a table state; 0: no batch, or several.
struct OnlyBatches {
  uint64_t columns = 0, rows = 0;
};

// Sets the batch of `value`, if it has none, to the only batch of the columns if its column names a quantity, else to
// the only batch of the rows if its row names one: "batch 32: epoch time" states the batch of a column "speed-up".
void SetOnlyBatch(const OnlyBatches& batches, const NumberLabels& labels, proto::PublishedValue& value);

// Adds to the number's context what its labels state: a model or an arithmetic of row and column, and a statistic over
// the ranks.
void SetContext(const TableLabel& own, const NumberLabels& labels, proto::PublishedValue& value);

// Returns InvalidArgumentError, with the remedy, if devices or batch are needed and not stated.
absl::Status CheckPlace(proto::PublishedValue value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_NUMBER_LABELS_H_
