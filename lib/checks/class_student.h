// Facts about one student of a class.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_STUDENT_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_STUDENT_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lib/checks/rules.h"
#include "lib/checks/student_folder.h"

namespace lockstep {

// One student: a folder of the class.
struct ClassStudent {
  std::string name;
  std::vector<std::string> files;        // files that were read and checked, relative to the folder, sorted
  std::vector<UnreadFile> unreadable;    // files and folders that could not be read
  std::vector<UnreadFile> left_out;      // files that were read but are not used, such as a report's own record
  std::vector<std::string> other_files;  // the first few files with other endings
  size_t other_file_count = 0;
  std::vector<CheckFinding> findings;
  std::vector<std::string> copies;             // "sweep.rec: the same numbers as sweep.rec of ada"
  size_t copy_count = 0;                       // number of files whose numbers an earlier student has, too
  std::vector<std::string> outliers;           // "batch 128 on GPU X: 4.2 s, the class' median is 2.0 s (23 students)"
  std::map<std::string, double> times;         // seconds of an epoch by device, settings and point
  std::map<std::string, std::string> digests;  // digest of the measured values of each file, without its header
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_STUDENT_H_
