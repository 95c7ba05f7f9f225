// The stage of `report --class_folder`: a folder of folders to one page.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/checks/class_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// A row for each student, then what each rule that somebody broke says. Nothing is on the page but this.
std::vector<proto::Section> ClassSections(const std::vector<ClassStudent>& students);

// Writes the HTML page `output`, which is made again each time, and says on stderr what was found. A file that is no such
// page is replaced only if `force` is true. Errors as ListClass' and WriteWholeFile's; a student's file that cannot be
// read is a row.
absl::Status RunClass(const std::string& folder, const std::string& output, bool force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_
