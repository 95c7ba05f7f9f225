// Reads data/published/*.textproto: tables that somebody printed, typed in by hand and so not to be believed unchecked.
#ifndef LOCKSTEP_LIB_AUDIT_PUBLISHED_TABLES_H_
#define LOCKSTEP_LIB_AUDIT_PUBLISHED_TABLES_H_

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

// NotFound: no such file. DataLoss: it is not a PublishedTables in protobuf's text format (path:line:column: what was
// found), or a value is not as CheckPublishedTables wants it.
absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path);

// The same of text in memory; `path` is for messages only.
absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path);

// OK, or DataLoss naming table and value: names that are missing or twice, a quantity that is not said, digits that are
// not a number, a time or what is made of times without devices or batch, and two values that nothing tells apart.
absl::Status CheckPublishedTables(const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_PUBLISHED_TABLES_H_
