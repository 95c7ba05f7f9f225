// Reads tables that somebody printed: data/published/*.textproto, or the same content as CSV
// (lib/published/published_csv.h).
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

struct PublishedFile {
  proto::PublishedTables tables;
  proto::Input input;
};

// CSV or text format by the name's end, .csv or .textproto; otherwise by looking. NotFound: no such file. DataLoss: it
// is neither (path:line: what was found), or a value is not as lib/published/published_check.h wants it.
absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path);

// The same of protobuf's text format in memory; `path` is for messages only.
absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_
