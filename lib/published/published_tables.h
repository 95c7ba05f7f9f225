// Reads published tables: data/published/*.textproto, or the same content as CSV (lib/published/published_csv.h).
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_

#include <optional>
#include <string>

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

// Returns true for .tsv, .md, .tex and .txt, in lower or upper case. Many of these files are prose, so their content
// decides whether they are tables.
bool MayBeProse(absl::string_view path);

// Reads CSV, Markdown, LaTeX or text format, chosen by the name's extension, .csv or .textproto, or else by the
// content. NotFound: no such file. DataLoss: the file is neither format (path:line: found text), no table is in it, or
// a value fails lib/published/published_check.h. Prints a warning with the names that a printed table leaves out
// (left_out_names.h).
absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path);

// Logs the warning of ReadPublishedTables.
void LogLeftOut(const std::string& path, const proto::PublishedTables& tables);

// Reads text from memory; `path` chooses the format and is used in messages. Returns std::nullopt if `path` MayBeProse
// and no table is in the text; otherwise the result of ReadPublishedTables, without the warning. Sets `lines`, unless
// it is null, to the line of every number.
absl::StatusOr<std::optional<proto::PublishedTables>> FindPublishedTables(absl::string_view text,
                                                                          const std::string& path,
                                                                          NumberLines* lines = nullptr);

// Does the same, but returns DataLossError if no table is in the text.
absl::StatusOr<proto::PublishedTables> ParsePublishedFile(absl::string_view text, const std::string& path,
                                                          NumberLines* lines = nullptr);

// Parses protobuf's text format from memory; `path` is used in messages only.
absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_TABLES_H_
