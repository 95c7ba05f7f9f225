#include "lib/published/published_tables.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/published/left_out_names.h"
#include "lib/published/published_check.h"
#include "lib/published/published_csv.h"
#include "lib/record/input_text.h"

namespace lockstep {
namespace {

bool IsCsv(absl::string_view text, absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".csv") ||
         (!absl::EndsWithIgnoreCase(path, ".textproto") && LooksLikeCsv(text));
}

// Returns the lines on which the numbers of `text` begin. `text` must be a PublishedTables in text format.
NumberLines LinesOfText(const std::string& text) {
  proto::PublishedTables tables;
  google::protobuf::TextFormat::ParseInfoTree locations;
  google::protobuf::TextFormat::Parser parser;
  parser.WriteLocationsTo(&locations);
  NumberLines lines;
  if (!parser.ParseFromString(text, &tables)) {
    return lines;
  }
  const auto* const table_field = proto::PublishedTables::descriptor()->FindFieldByName("table");
  const auto* const value_field = proto::PublishedTable::descriptor()->FindFieldByName("value");
  for (int t = 0; t < tables.table_size(); ++t) {
    const auto* const table = locations.GetTreeForNested(table_field, t);
    for (int i = 0; table != nullptr && i < tables.table(t).value_size(); ++i) {
      AddNumberLine(static_cast<size_t>(t), table->GetLocation(value_field, i).line + 1, lines);  // counted from 0
    }
  }
  return lines;
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
  if (IsCsv(file.text, path)) {
    ASSIGN_OR_RETURN(published.tables, ParsePublishedCsv(file.text, path, &published.lines));
  } else {
    ASSIGN_OR_RETURN(published.tables, ParsePublishedTables(file.text, path));
    published.lines = LinesOfText(file.text);
  }
  if (const std::string left_out = LeftOutText(published.tables); !left_out.empty()) {
    LogWarning(absl::StrCat(path, ": warning: left out, because the names are not understood: ", left_out));
  }
  published.input = file.input;
  return published;
}

}  // namespace lockstep
