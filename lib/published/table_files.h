// Files of published tables that are found by their content, each read and parsed once.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_FILES_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_FILES_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Not thread-safe.
class TableFiles {
 public:
  // Returns true if the file at `path`, which need not be a declared input, is to be read as tables: always for .csv
  // and .textproto; for .tsv, .md, .tex and .txt only if a table is in it. Returns false for other names, and for a
  // file that must be read and cannot be. Keeps the tables that it finds, or their error.
  bool Find(absl::string_view path);

  // Returns the tables of ReadPublishedTables, with its errors and its warning. Does not read a file again whose tables
  // or error Find has kept.
  absl::StatusOr<proto::PublishedTables> Read(const std::string& path) const;

 private:
  std::map<std::string, absl::StatusOr<proto::PublishedTables>> found_;  // keys: paths
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_FILES_H_
