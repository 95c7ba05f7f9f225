// Reads published tables: data/published/*.textproto, or the same content as CSV (lib/published/published_csv.h).
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/published.pb.h"
#include "lib/published/number_lines.h"

namespace lockstep {

struct PublishedFile {
  proto::PublishedTables tables;
  proto::Input input;
  NumberLines lines;  // line of every number
};

// Returns true if the name has an extension under which published tables are read: .csv, .tsv, .md, .tex, .txt or
// .textproto, in lower or upper case.
bool IsPublishedTable(absl::string_view path);

// Returns true if a file of this name and content is to be read as tables: always for .csv and .textproto; for .tsv,
// .md, .tex and .txt only if a table is in it, because many of these files are prose. False for other names.
bool HoldsPublishedTable(absl::string_view text, const std::string& path);

// Returns HoldsPublishedTable for the content of the file at `path`, which need not be a declared input; false if the
// file cannot be read.
bool IsPublishedTableFile(absl::string_view path);

// Reads CSV, Markdown, LaTeX or text format, chosen by the name's extension, .csv or .textproto, or else by the
// content. NotFound: no such file. DataLoss: the file is neither format (path:line: found text), no table is in it, or
// a value fails lib/published/published_check.h. Prints a warning with the names that a printed table leaves out
// (left_out_names.h).
absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path);

// Does the same with text from memory; `path` chooses the format and is used in messages. Sets `lines`, unless it is
// null, to the line of every number.
absl::StatusOr<proto::PublishedTables> ParsePublishedFile(absl::string_view text, const std::string& path,
                                                          NumberLines* lines = nullptr);

// Parses protobuf's text format from memory; `path` is used in messages only.
absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_
