// A folder with one file per trained point, as TensorBoard and MLPerf's tools expect it.
#ifndef LOCKSTEP_LIB_EXPORT_POINT_FILES_H_
#define LOCKSTEP_LIB_EXPORT_POINT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

struct PointFile {
  std::string name;  // path within the folder: "sweep.batch_32.txt"
  std::string bytes;
};

struct PointFolder {
  std::string flag;    // "--mllog"
  std::string folder;  // value of the flag
  std::string mark;    // text in the first KiB of each file, by which report knows its own files
  std::vector<std::string> inputs;
  std::vector<PointFile> files;
};

// Writes the files again each time, with their folders. A file without the mark is replaced only with kYes. Errors:
// - FailedPreconditionError if there are no files, because no point has epochs;
// - InvalidArgumentError if a folder cannot be made;
// - those of DeclareRunFiles and WriteWholeFile.
absl::Status WritePointFiles(const PointFolder& folder, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_POINT_FILES_H_
