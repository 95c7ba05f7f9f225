// Listing of one student's folder: the files that are records or tables, and those that cannot be read.
#ifndef LOCKSTEP_LIB_CHECKS_STUDENT_FOLDER_H_
#define LOCKSTEP_LIB_CHECKS_STUDENT_FOLDER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// Limits of one student's folder. Files beyond them are named on the page, and not read.
inline constexpr size_t kMaxStudentFiles = 200;       // records and tables
inline constexpr size_t kMaxStudentEntries = 20'000;  // files and folders of any kind
inline constexpr int kMaxStudentDepth = 3;            // levels of folders below the student's

// One file or folder that was not read, or a file with content that is not used.
struct UnreadFile {
  std::string name;         // path relative to the student's folder; empty: the folder itself
  std::string why;          // "a link out of the folder, which is not followed"
  std::string remedy = {};  // remedy for the teacher: "ask for the file itself"; empty: nothing need be done
};

// Remedies for files that cannot be read.
inline constexpr char kAllowReading[] = "allow reading with chmod -R u+rX, and repeat the command";
inline constexpr char kAskForPlainFile[] = "ask for a regular file within the limits of docs/report.md";

struct StudentFolder {
  std::string name;
  std::vector<std::string> files;        // *.rec, *.json, *.csv and *.textproto, in any letter case; sorted
  std::vector<UnreadFile> unreadable;    // files that could not be read, e.g. for lack of permission
  std::vector<std::string> other_files;  // the first three files with other endings
  size_t other_file_count = 0;
};

// Lists the open folder `folder` and the folders below it into `student`, whose name must be set. Follows no link to a
// folder. Skips files that macOS adds (._NAME, .DS_Store, __MACOSX/). `shown` is the path of the class' folder, for
// messages. Returns InvalidArgumentError if an output of the run is among the files, and CancelledError after a stop
// signal.
absl::Status ListStudent(int folder, const std::string& shown, StudentFolder& student);

// Returns true if a file or folder of this name is one that macOS adds to disks and archives of other systems.
bool IsOfMacOs(const std::string& name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_STUDENT_FOLDER_H_
