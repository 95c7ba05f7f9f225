// The record files that a user names for a report: files, folders, and patterns that the shell did not expand.
#ifndef LOCKSTEP_LIB_REPORT_NAMED_RECORDS_H_
#define LOCKSTEP_LIB_REPORT_NAMED_RECORDS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

struct NamedRecords {
  std::vector<std::string> paths;    // files to read, each spelling once
  std::vector<std::string> remarks;  // files that were left out, one line each: "lab/: 5 records; not read: a.pt"
};

// Returns true for the path of a file of published tables.
using IsTableName = std::function<bool(absl::string_view path)>;

// Returns the files that `names` stand for, in the order of the names:
//   - a folder stands for the records directly in it, in alphabetical order. A record is recognised by its first bytes;
//     a remark lists the other files. Names that begin with a point, such as those of the lab's own probes, are passed
//     over, as by a pattern. The JSON of a record is read if no record file of its schema is there; otherwise it is
//     left out, because it is often printed from that record.
//   - a name with *, ? or [ that is no file stands for the files that match it (glob(7)), in alphabetical order.
//   - any other name, such as "-" or a file of tables, stands for itself.
// Records of reports are left out with a remark if another file remains, so that "lab/*.rec" also works a second time.
// Returns FailedPreconditionError if a folder has no record, and NotFoundError if no file matches a pattern.
//
// With `is_table`, a folder also stands for the files in it that `is_table` accepts, except texts that a report wrote,
// for which `is_table` is not called.
absl::StatusOr<NamedRecords> FindNamedRecords(const std::vector<std::string>& names,
                                              const IsTableName& is_table = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_NAMED_RECORDS_H_
