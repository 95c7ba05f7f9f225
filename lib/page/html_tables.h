// The tables of a section, and the list of runs, in the HTML report.
#ifndef LOCKSTEP_LIB_PAGE_HTML_TABLES_H_
#define LOCKSTEP_LIB_PAGE_HTML_TABLES_H_

#include <string>

#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Appends the tables of a section. Tables of role DETAIL are closed. Open ones that are narrow are in two columns of
// about the same height; the others have the width of the page. If `summary` has runs, they are a list instead of the
// table kListOfRuns. `notes` must be the same for all tables of a page.
void AppendTables(const proto::Section& section, const proto::Summary& summary, NotesOnce& notes, std::string& out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_TABLES_H_
