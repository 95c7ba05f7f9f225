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

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"
#include "lib/published/number_lines.h"

namespace lockstep {

// Returns true if the first line that is not a remark names columns, like in a CSV file and unlike in text format, or
// if the file is a chart of Weights & Biases (wandb_chart.h).
bool LooksLikeCsv(absl::string_view text);

// DataLoss, with path:line:
// - an unknown key, column, quantity or unit, or an invalid value of a key;
// - a duplicate key, or a missing column;
// - a number that does not parse, a unit that contradicts its quantity, or a value that contradicts its printed digits;
// - an error of lib/published/published_check.h.
// A chart of Weights & Biases is read by ParseWandbChart, with its errors; lines `# key = value` may stand above its
// columns. `path` is used in messages only. Sets `lines`, unless it is null, to the line of every number; a chart's are
// not known.
absl::StatusOr<proto::PublishedTables> ParsePublishedCsv(absl::string_view text, const std::string& path,
                                                         NumberLines* lines = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CSV_H_
