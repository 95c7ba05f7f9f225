// The runs that a hand-in names, as a table: readers of the hand-in have no other list of runs.
#ifndef LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_
#define LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns a row for each run of `summary` that `text` names, in the order of the letters: tool, work, machine, date and
// file. Text names a run by its letter ("run F", "runs A and C") or by its file ("scale.rec"). Runs of `tools` are
// named in any case, because answers are from them. All runs that are named by letter have a row. The other named runs
// are added up to eight rows; a note counts the rest. The table has no rows if no run is named.
proto::Table NamedRunsTable(const proto::Summary& summary, absl::string_view text, const std::set<std::string>& tools);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_
