// The stage of `report --class_folder`: converts a folder of folders to one page.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/checks/class_records.h"
#include "lib/proto/report.pb.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Returns a row for each student, then the explanation of each broken rule. `loose_files` are the files of the class'
// folder itself. The size of the page grows with the number of students: long texts are cut, and long lists show only
// their beginning.
std::vector<proto::Section> ClassSections(const std::vector<ClassStudent>& students,
                                          const std::vector<std::string>& loose_files);

// Writes the HTML page `output` anew, and prints a summary to stderr. A file that is not such a page is replaced only
// with kYes. A student's file that cannot be read is named in that student's row. Returns InvalidArgumentError if
// `output` is neither "-" nor a name that ends in .html, and the errors of ClassFiles::Open, CheckClass and
// WriteWholeFile.
absl::Status RunClass(const std::string& folder, const std::string& output, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_
