// Published tables as CSV (RFC 4180, UTF-8 or UTF-16): one row per printed number, below header lines with the
// document's statements about itself.
//
//   # source = Table 2 of a paper, https://...
//   # parameter_count = 11173962
//   # facts.images_per_epoch = 50000
//   table,quantity,devices,batch_per_device,value,unit,as_printed
//   Table 2,epoch_seconds,1,32,23.55,s,23.550
//   Table 2,speedup,2,32,,,1.46
//
// A line `# key = value` above the columns sets source, description, a field of proto::Claims by its name, or a field
// of proto::Facts as facts.NAME, to a value that lib/published/statement.h allows. Only facts.source may occur several
// times. Other lines that begin with # are remarks. data/published/README.md explains the columns.
//
// Semicolons or tabs may separate the fields; a comma is then the decimal point. Rows and columns of empty cells are
// ignored, and so is a row whose number is printed as OOM, N/A or "-" (blank_cell.h).
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CSV_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CSV_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"
#include "lib/published/number_lines.h"

namespace lockstep {

// Returns the tables of a CSV file, with the errors listed here. DataLoss, with path:line:
// - an unknown key, column, quantity or unit, or an invalid value of a key;
// - a duplicate key, or a missing column;
// - a number that does not parse, a unit that contradicts its quantity, or a value that contradicts its printed digits;
// - an error of lib/published/published_check.h.
// A chart of Weights & Biases is read by ParseWandbChart, with its errors; lines `# key = value` may stand above its
// columns. `path` is used in messages only. Sets `lines`, unless it is null, to the line of every number; a chart's are
// not known.
absl::StatusOr<proto::PublishedTables> ParsePublishedCsv(absl::string_view text, const std::string& path,
                                                         NumberLines* lines = nullptr);

// Does the same for a text of which only the content can tell whether it is a table: CSV, Markdown or LaTeX. Returns
// std::nullopt if no table is in the text. A table is in it
// - if it is a chart of Weights & Biases;
// - if the first line that is not a remark has a column `quantity`;
// - if this line does not begin like text format, and a table as printed is in the text (HasWideTable).
absl::StatusOr<std::optional<proto::PublishedTables>> FindPublishedCsv(absl::string_view text, const std::string& path,
                                                                       NumberLines* lines = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CSV_H_
