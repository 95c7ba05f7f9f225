// The runs that a hand-in names, as a table: readers of the hand-in have no other list of runs.
#ifndef LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_
#define LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns a row for each run of `summary` that `text` names, in the order of the letters: tool, work, machine, date and
// file. Text names a run by its letter ("run F", "runs A and C") or by its file ("scale.rec"). All runs that are named
// by letter have a row. Runs that are named by file are added up to eight rows; a note counts the others. The table has
// no rows if the text names no run.
proto::Table NamedRunsTable(const proto::Summary& summary, absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HAND_IN_RUNS_H_
