#include "lib/published/published_tables.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
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

// Returns `tables` if they pass CheckPublishedTables.
absl::StatusOr<proto::PublishedTables> Checked(proto::PublishedTables tables, const std::string& path) {
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

}  // namespace

bool IsPublishedTable(absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".csv") || absl::EndsWithIgnoreCase(path, ".textproto") || MayBeProse(path);
}

bool MayBeProse(absl::string_view path) {
  constexpr absl::string_view kEndings[] = {".tsv", ".md", ".tex", ".txt"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](absl::string_view ending) { return absl::EndsWithIgnoreCase(path, ending); });
}

absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path) {
  proto::PublishedTables tables;
  RETURN_IF_ERROR(ParseTextMessage(std::string(text), path, tables));
  return Checked(std::move(tables), path);
}

absl::StatusOr<std::optional<proto::PublishedTables>> FindPublishedTables(absl::string_view text,
                                                                          const std::string& path, NumberLines* lines) {
  if (absl::EndsWithIgnoreCase(path, ".csv")) {
    return ParsePublishedCsv(text, path, lines);
  }
  if (!absl::EndsWithIgnoreCase(path, ".textproto")) {
    ASSIGN_OR_RETURN(std::optional<proto::PublishedTables> tables, FindPublishedCsv(text, path, lines));
    if (tables.has_value()) {
      return tables;
    }
  }
  proto::PublishedTables message;
  const absl::Status status = ParseTextMessage(std::string(text), path, message);
  if (MayBeProse(path) && (!status.ok() || message.table().empty())) {
    return std::nullopt;
  }
  RETURN_IF_ERROR(status);
  ASSIGN_OR_RETURN(proto::PublishedTables tables, Checked(std::move(message), path));
  if (lines != nullptr) {
    *lines = LinesOfText(std::string(text));
  }
  return tables;
}

absl::StatusOr<proto::PublishedTables> ParsePublishedFile(absl::string_view text, const std::string& path,
                                                          NumberLines* lines) {
  ASSIGN_OR_RETURN(std::optional<proto::PublishedTables> tables, FindPublishedTables(text, path, lines));
  if (!tables.has_value()) {
    return absl::DataLossError(
        absl::StrCat(path, ": no table in it; expected a table in CSV, Markdown or LaTeX with numbers in its cells"));
  }
  return *std::move(tables);
}

void LogLeftOut(const std::string& path, const proto::PublishedTables& tables) {
  if (const std::string left_out = LeftOutText(tables); !left_out.empty()) {
    LogWarning(absl::StrCat(path, ": warning: left out, because the names are not understood: ", left_out));
  }
}

absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path) {
  ASSIGN_OR_RETURN(const InputText file, ReadInputText(path));
  PublishedFile published;
  ASSIGN_OR_RETURN(published.tables, ParsePublishedFile(file.text, path, &published.lines));
  LogLeftOut(path, published.tables);
  published.input = file.input;
  return published;
}

}  // namespace lockstep
