// Statements of the names of a row and a column about one number of a printed table.
#ifndef LOCKSTEP_LIB_PUBLISHED_NUMBER_LABELS_H_
#define LOCKSTEP_LIB_PUBLISHED_NUMBER_LABELS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
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

// Returns the time of an epoch or iteration that a line above the table or a remark states; else `quantity`.
proto::PublishedQuantity TimeOfPart(const NumberLabels& labels, proto::PublishedQuantity quantity);

// Returns the unit of a number; one from outside of row and column only if it fits.
std::string UnitOfNumber(const TableCell& cell, const TableLabel& own, const NumberLabels& labels,
                         proto::PublishedQuantity quantity);

// Sets devices, batch and base of `value`, as far as a label states them.
void SetPlace(const TableLabel& own, const NumberLabels& labels, proto::PublishedValue& value);

// Makes a statistic over the ranks, which a label states, a part of the number's context.
void SetRankStatistic(const TableLabel& own, const NumberLabels& labels, proto::PublishedValue& value);

// Returns InvalidArgumentError, with the remedy, if devices or batch are needed and not stated.
absl::Status CheckPlace(proto::PublishedValue value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_NUMBER_LABELS_H_
