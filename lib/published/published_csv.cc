#include "lib/published/published_csv.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/published/csv_rows.h"
#include "lib/published/document_key.h"
#include "lib/published/excerpt.h"
#include "lib/published/plain_text.h"
#include "lib/published/published_check.h"
#include "lib/published/table_blocks.h"
#include "lib/published/table_faults.h"
#include "lib/published/wandb_chart.h"
#include "lib/published/wide_table.h"

namespace lockstep {
namespace {

absl::string_view TakeLine(absl::string_view& text) {
  const size_t end = text.find('\n');
  const absl::string_view line = text.substr(0, end);
  text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
  return absl::StripSuffix(line, "\r");
}

// Removes the lines above the columns from the front of `text`, and returns these lines.
std::vector<absl::string_view> TakeRemarks(absl::string_view& text) {
  std::vector<absl::string_view> remarks;
  while (!text.empty() && IsRemarkLine(text.substr(0, text.find('\n')))) {
    remarks.push_back(TakeLine(text));
  }
  return remarks;
}

// Reads "# key = value". A line without "=", or with other characters or several words before it, is a remark, unless
// the words are another spelling of a key.
absl::Status ReadRemark(absl::string_view line, std::set<std::string>& seen, proto::PublishedTables& tables) {
  const std::string text = RemarkText(line);
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const absl::string_view key = absl::StripAsciiWhitespace(parts.first);
  const bool is_key = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
  });
  if (!absl::StrContains(text, "=")) {
    return absl::OkStatus();
  }
  if (const std::string meant = DocumentKeyMeantBy(key); !meant.empty() && meant != key) {
    return absl::InvalidArgumentError(absl::StrCat("unknown key '", Excerpt(key), "'; write ", meant));
  }
  return is_key ? SetDocumentKey(key, absl::StripAsciiWhitespace(parts.second), seen, tables) : absl::OkStatus();
}

// Returns the tables of a chart, with the document's statements about itself.
absl::StatusOr<proto::PublishedTables> ReadWandbChart(absl::string_view text, const std::string& path, int first_line,
                                                      const proto::PublishedTables& statements) {
  ASSIGN_OR_RETURN(proto::PublishedTables tables, ParseWandbChart(text, path, first_line));
  const std::string unread = tables.description();
  tables.MergeFrom(statements);
  if (!unread.empty() && !statements.description().empty()) {
    tables.set_description(absl::StrCat(statements.description(), "; ", unread));
  }
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

// Returns true if the text begins like a message of published.proto in text format.
bool LooksLikeTextFormat(absl::string_view text) {
  const absl::string_view line = absl::StripLeadingAsciiWhitespace(text.substr(0, text.find('\n')));
  const absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(line.substr(std::min(line.find_first_of(" :{"), line.size())));
  const absl::string_view field = line.substr(0, line.find_first_of(" :{"));
  return (absl::StartsWith(rest, ":") || absl::StartsWith(rest, "{")) &&
         proto::PublishedTables::descriptor()->FindFieldByName(std::string(field)) != nullptr;
}

// Kind of a text: of a CSV file, or one that may hold no table.
enum class TextKind { kTable, kMaybeTable };

// Returns the tables of a text; of kMaybeTable std::nullopt if no table is in it.
absl::StatusOr<std::optional<proto::PublishedTables>> ReadCsvText(absl::string_view bytes, TextKind kind,
                                                                  const std::string& path, NumberLines* lines) {
  const bool is_table = kind == TextKind::kTable;
  const absl::StatusOr<std::string> plain = PlainText(bytes);
  if (!plain.ok() && !is_table) {
    return std::nullopt;
  }
  if (!plain.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", plain.status().message()));
  }
  absl::string_view text = *plain;
  proto::PublishedTables tables;
  const std::vector<absl::string_view> remarks = TakeRemarks(text);
  absl::string_view after = text;
  const absl::string_view line = TakeLine(after);
  const std::vector<std::string> columns = LowerFields(line);
  const bool is_chart = LooksLikeWandbChart(text);
  const bool names_columns = NamesCsvColumns(line);
  bool is_rows = is_table || std::count(columns.begin(), columns.end(), "quantity") > 0;
  if (!is_chart && !(is_rows && names_columns) && (is_rows || !LooksLikeTextFormat(line)) && IsUtf8(*plain)) {
    TableFaults faults;
    const TableBlocks blocks = ReadTableBlocks(*plain, faults);
    const bool is_wide = HasWideTable(blocks);
    if (is_wide && !names_columns) {
      return ReadWideTables(blocks, path, std::move(faults), lines);
    }
    is_rows = is_rows || is_wide;  // rows that lack the column `quantity`, an error
  }
  if (!is_chart && !is_rows) {
    return std::nullopt;
  }
  std::set<std::string> seen;
  for (size_t i = 0; i < remarks.size(); ++i) {
    RETURN_IF_ERROR(AtLine(path, static_cast<int>(i) + 1, ReadRemark(remarks[i], seen, tables)));
  }
  const int first_line = static_cast<int>(remarks.size()) + 1;
  NumberLines unused;
  return is_chart ? ReadWandbChart(text, path, first_line, tables)
                  : ReadCsvRows(text, path, first_line, std::move(tables), lines != nullptr ? *lines : unused);
}

}  // namespace

absl::StatusOr<proto::PublishedTables> ParsePublishedCsv(absl::string_view text, const std::string& path,
                                                         NumberLines* lines) {
  ASSIGN_OR_RETURN(std::optional<proto::PublishedTables> tables, ReadCsvText(text, TextKind::kTable, path, lines));
  return *std::move(tables);
}

absl::StatusOr<std::optional<proto::PublishedTables>> FindPublishedCsv(absl::string_view text, const std::string& path,
                                                                       NumberLines* lines) {
  return ReadCsvText(text, TextKind::kMaybeTable, path, lines);
}

}  // namespace lockstep
