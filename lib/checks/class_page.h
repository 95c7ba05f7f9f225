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

struct ClassOptions {
  std::string folder;       // folder with a folder per student
  std::string output;       // "-" or NAME.html
  std::string grades = {};  // "-" or NAME.csv, the verdicts for a grade book (class_grades.h); empty: not written
  Force force = Force::kNo;
};

// Returns the page: a summary, a row for each student with the most severe findings first, groups of copies, statistics
// of the class, and a closed table for each student. `class_folder` is the path for the commands, `loose_files` are the
// files of the class' folder itself. The size of the page grows with the number of students: long texts are cut, and
// long lists show only their beginning.
std::vector<proto::Section> ClassSections(const std::string& class_folder, const std::vector<ClassStudent>& students,
                                          const std::vector<std::string>& loose_files);

// Writes the page and the grades anew, and prints a summary to stderr. A file that is not such a page, or not such a
// CSV file, is replaced only with kYes. A student's file that cannot be read is named in that student's row. Returns
// InvalidArgumentError if an output has another ending, and the errors of ClassFiles::Open, CheckClass and
// WriteWholeFile.
absl::Status RunClass(const ClassOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_PAGE_H_
