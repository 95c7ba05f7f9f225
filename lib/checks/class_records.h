// A class: a folder of folders, one a student; what is wrong with each, who has whose records, and who is far from all.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_RECORDS_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_RECORDS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/checks/check.h"

namespace lockstep {

// One student: a folder below the class'.
struct ClassStudent {
  std::string name;                // of the folder
  std::vector<std::string> files;  // its *.rec, *.json of records, *.csv and *.textproto, sorted; not what report wrote
  std::vector<CheckFinding> findings;
  std::string unreadable;                      // why its files could not be read; empty: they could
  std::vector<std::string> copies;             // "sweep.rec: the same file as sweep.rec of ada"
  std::vector<std::string> outliers;           // "batch 128 on GPU X: 4.2 s, the class' median is 2.0 s (23 students)"
  std::map<std::string, double> times;         // seconds of an epoch by device, settings and point
  std::map<std::string, std::string> digests;  // of what was measured, by file: whatever its header says
};

// The folders of `path` in the order of their names, and the files in each. NotFound: no such folder. FailedPrecondition:
// there is no folder with such a file in it.
absl::StatusOr<std::vector<ClassStudent>> ListClass(const std::string& path);

// Reads and checks each student's files, and compares the students. A file is a copy when its bytes are another
// student's, or the measured points of a sweep or scaling run are, under whatever header: two clocks never agree in all
// digits. A time is an outlier when it is further from the median of at least five students than three times 1.4826 of the
// median distance, and than 10 %.
void CheckClass(std::vector<ClassStudent>& students);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_RECORDS_H_
