// The runs that a hand-in names, as a table: readers of the hand-in have no other list of runs.
#ifndef LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_
#define LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns a row for each run of `summary` that is named: tool, work, machine, date and file. Named are the runs of
// `letters`, the runs whose file `text` contains ("scale.rec"), and the runs of `tools`, because answers are from them.
// All runs of `letters` have a row. The other named runs are added up to eight rows; a note counts the rest. The table
// has no rows if no run is named.
proto::Table NamedRunsTable(const proto::Summary& summary, const std::set<std::string>& letters, absl::string_view text,
                            const std::set<std::string>& tools);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_
