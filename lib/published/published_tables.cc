#include "lib/published/published_tables.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/published/published_check.h"
#include "lib/published/published_csv.h"
#include "lib/record/input_text.h"

namespace lockstep {
namespace {

bool IsCsv(absl::string_view text, absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".csv") ||
         (!absl::EndsWithIgnoreCase(path, ".textproto") && LooksLikeCsv(text));
}

}  // namespace

bool IsPublishedTable(absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".csv") || absl::EndsWithIgnoreCase(path, ".textproto");
}

absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path) {
  proto::PublishedTables tables;
  RETURN_IF_ERROR(ParseTextMessage(std::string(text), path, tables));
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path) {
  ASSIGN_OR_RETURN(const InputText file, ReadInputText(path));
  PublishedFile published;
  ASSIGN_OR_RETURN(published.tables,
                   IsCsv(file.text, path) ? ParsePublishedCsv(file.text, path) : ParsePublishedTables(file.text, path));
  published.input = file.input;
  return published;
}

}  // namespace lockstep
