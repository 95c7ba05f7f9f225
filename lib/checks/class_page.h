// The stage of `report --class_folder`: a folder of folders to one page.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/checks/class_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns a row for each student, then what each rule that somebody broke says. `loose_files` are those of the class' folder
// itself. The size of the page grows with the number of students: long texts are cut, and of many only the first are shown.
std::vector<proto::Section> ClassSections(const std::vector<ClassStudent>& students,
                                          const std::vector<std::string>& loose_files);

// Writes the HTML page `output`, which is made again each time, and says on stderr what was found. A file that is no such
// page is replaced only if `force` is true. Returns InvalidArgumentError if `output` is neither "-" nor a name that ends in
// .html. Other errors as ClassFiles::Open's, CheckClass' and WriteWholeFile's. A student's file that cannot be read is named
// in that student's row.
absl::Status RunClass(const std::string& folder, const std::string& output, bool force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_
