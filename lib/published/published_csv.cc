#include "lib/published/published_csv.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/published/blank_cell.h"
#include "lib/published/csv.h"
#include "lib/published/document_key.h"
#include "lib/published/excerpt.h"
#include "lib/published/field_text.h"
#include "lib/published/plain_text.h"
#include "lib/published/printed_number.h"
#include "lib/published/published_check.h"
#include "lib/published/published_unit.h"
#include "lib/published/table_blocks.h"
#include "lib/published/table_faults.h"
#include "lib/published/wandb_chart.h"
#include "lib/published/wide_table.h"
#include "lib/record/readable_text.h"

namespace lockstep {
namespace {

const char* const kNeeded[] = {"table", "quantity", "devices", "batch_per_device", "value", "unit", "as_printed"};
const char* const kOptional[] = {"context",    "epoch",    "note",     "base_devices",
                                 "base_batch", "restated", "read_off", "loader_workers"};

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

// Returns the fields of a line without quotes, in lower case.
std::vector<std::string> LowerFields(absl::string_view line) {
  const std::string lower = absl::AsciiStrToLower(absl::StripSuffix(line, "\r"));
  return absl::StrSplit(lower, SeparatorOfLine(line));
}

using Columns = std::map<std::string, size_t>;

absl::StatusOr<Columns> ReadColumns(const CsvRow& header) {
  Columns columns;
  for (size_t i = 0; i < header.fields.size(); ++i) {
    const absl::string_view shown = absl::StripAsciiWhitespace(header.fields[i]);
    const std::string name = absl::AsciiStrToLower(shown);
    const auto is_it = [&](const char* known) { return name == known; };
    if (std::none_of(std::begin(kNeeded), std::end(kNeeded), is_it) &&
        std::none_of(std::begin(kOptional), std::end(kOptional), is_it)) {
      return absl::InvalidArgumentError(absl::StrCat("unknown column '", Excerpt(shown),
                                                     "'; known: ", absl::StrJoin(kNeeded, ", "), ", ",
                                                     absl::StrJoin(kOptional, ", ")));
    }
    if (!columns.emplace(name, i).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("column '", Excerpt(name), "' appears twice; remove or rename one of them"));
    }
  }
  for (const char* name : kNeeded) {
    if (columns.count(name) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("column '", name, "' is missing; needed: ", absl::StrJoin(kNeeded, ", "),
                       "; comm_model --audit_template=lab.csv writes a sheet to fill in"));
    }
  }
  return columns;
}

// Removes rows of empty cells, and from every row the empty cells at its end that are to the right of the last column.
// Spreadsheets write both.
void RemoveEmptyCells(std::vector<CsvRow>& rows) {
  const auto is_empty = [](absl::string_view field) { return absl::StripAsciiWhitespace(field).empty(); };
  rows.erase(
      std::remove_if(rows.begin(), rows.end(),
                     [&](const CsvRow& row) { return std::all_of(row.fields.begin(), row.fields.end(), is_empty); }),
      rows.end());
  size_t columns = 0;
  for (CsvRow& row : rows) {
    while (row.fields.size() > columns && is_empty(row.fields.back())) {
      row.fields.pop_back();
    }
    columns = columns == 0 ? row.fields.size() : columns;
  }
}

// Changes a decimal comma to a point in the cells of numbers.
void UseDecimalPoints(const Columns& columns, CsvRow& row) {
  for (const char* name : {"value", "as_printed"}) {
    const size_t at = columns.find(name)->second;
    if (at < row.fields.size() && std::count(row.fields[at].begin(), row.fields[at].end(), ',') == 1 &&
        !absl::StrContains(row.fields[at], ".")) {
      std::replace(row.fields[at].begin(), row.fields[at].end(), ',', '.');
    }
  }
}

// Cells of one row by column. A missing optional column has empty cells.
class Row {
 public:
  Row(const Columns& columns, const CsvRow& row) : columns_(columns), row_(row) {}
  absl::string_view At(const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? "" : absl::StripAsciiWhitespace(row_.fields[found->second]);
  }

 private:
  const Columns& columns_;
  const CsvRow& row_;
};

// Returns the digits. `value` is the number, `as_printed` its digits. One may be empty; if both are given, they must
// agree.
absl::StatusOr<std::string> PrintedDigits(absl::string_view value, absl::string_view as_printed) {
  if (value.empty() || as_printed.empty()) {
    return std::string(value.empty() ? as_printed : value);
  }
  ASSIGN_OR_RETURN(const PrintedNumber number, ParsePrintedNumber(value));
  ASSIGN_OR_RETURN(const PrintedNumber printed, ParsePrintedNumber(as_printed));
  if (!RoundsTo(number.value, printed) && !TruncatesTo(number.value, printed)) {
    return absl::InvalidArgumentError(absl::StrCat("value ", Excerpt(value), " and as_printed ", Excerpt(as_printed),
                                                   " contradict each other: one is not the other rounded or cut off"));
  }
  return std::string(as_printed);
}

absl::StatusOr<proto::PublishedValue> ReadValue(const Row& row) {
  proto::PublishedValue value;
  RETURN_IF_ERROR(SetFieldFromText("quantity", row.At("quantity"), value));
  RETURN_IF_ERROR(CheckUnit(row.At("unit"), value.quantity()));
  value.set_unit_seconds(SecondsOfUnit(row.At("unit")));
  value.set_unit_joules(JoulesOfUnit(row.At("unit")));
  ASSIGN_OR_RETURN(*value.mutable_as_printed(), PrintedDigits(row.At("value"), row.At("as_printed")));
  if (value.as_printed().empty()) {
    return absl::InvalidArgumentError(
        "'' is not a plain decimal number such as 1.41695 or 1.7e+10; leave the row out if no number is printed");
  }
  const std::pair<const char*, const char*> fields[] = {
      {"devices", "devices"},  {"batch_per_device", "batch"},    {"context", "context"},       {"epoch", "epoch"},
      {"note", "note"},        {"base_devices", "base_devices"}, {"base_batch", "base_batch"}, {"restated", "restated"},
      {"read_off", "read_off"}};
  for (const auto& [column, field] : fields) {
    if (const absl::string_view text = row.At(column); !text.empty()) {
      RETURN_IF_ERROR(SetFieldFromText(field, text, value));
    }
  }
  RETURN_IF_ERROR(CheckPublishedValue(value));
  return value;
}

// Returns the index of the table with this name; adds the table if it does not exist.
int TableNamed(absl::string_view name, proto::PublishedTables& tables) {
  for (int i = 0; i < tables.table_size(); ++i) {
    if (tables.table(i).name() == name) {
      return i;
    }
  }
  tables.add_table()->set_name(std::string(name));
  return tables.table_size() - 1;
}

// Reads a number of the whole table, which any of its rows may give.
absl::Status ReadLoaderWorkers(absl::string_view text, proto::PublishedTable& table) {
  if (text.empty()) {
    return absl::OkStatus();
  }
  proto::PublishedTable parsed;
  RETURN_IF_ERROR(SetFieldFromText("loader_workers", text, parsed));
  if (table.has_loader_workers() && table.loader_workers() != parsed.loader_workers()) {
    return absl::InvalidArgumentError(
        absl::StrCat("loader_workers ", text, " contradicts the ", table.loader_workers(),
                     " of the same table above; give both rows the same, or each a table"));
  }
  table.set_loader_workers(parsed.loader_workers());
  return absl::OkStatus();
}

// Unit of each table's rates, so that images are not divided by tokens.
using RateUnits = std::map<std::string, std::string>;

absl::Status CheckRateUnit(const Row& row, const proto::PublishedValue& value, RateUnits& units) {
  const std::string unit(row.At("unit"));
  if (!IsRate(value.quantity()) || unit.empty()) {
    return absl::OkStatus();
  }
  const auto [known, is_new] = units.emplace(std::string(row.At("table")), unit);
  if (!is_new && known->second != unit) {
    return absl::InvalidArgumentError(
        absl::StrCat("unit ", unit, " contradicts the ", known->second, " of the same table above; give each a table"));
  }
  return absl::OkStatus();
}

absl::Status ReadRow(const Columns& columns, const CsvRow& csv_row, RateUnits& units, proto::PublishedTables& tables,
                     NumberLines& lines) {
  if (csv_row.fields.size() != columns.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", columns.size(), " fields, as many as columns; found ",
                                                   csv_row.fields.size(),
                                                   "; put a field that contains the separator in quotes"));
  }
  const Row row(columns, csv_row);
  if (StatesNoNumber(row.At("value")) || StatesNoNumber(row.At("as_printed"))) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(proto::PublishedValue value, ReadValue(row));
  if (row.At("table").empty()) {
    return absl::InvalidArgumentError("the table's name is missing; give it in the column table");
  }
  RETURN_IF_ERROR(CheckRateUnit(row, value, units));
  const int index = TableNamed(row.At("table"), tables);
  proto::PublishedTable& table = *tables.mutable_table(index);
  *table.add_value() = std::move(value);
  AddNumberLine(static_cast<size_t>(index), csv_row.line, lines);
  RETURN_IF_ERROR(CheckPublishedSize(tables.table_size(), 0));
  return ReadLoaderWorkers(row.At("loader_workers"), table);
}

absl::Status At(const std::string& path, int line, const absl::Status& status) {
  return status.ok() ? status : absl::DataLossError(absl::StrCat(path, ":", line, ": ", status.message()));
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

// Returns the rows of the file as one number per row, below the columns.
absl::StatusOr<proto::PublishedTables> ReadRows(absl::string_view text, const std::string& path, int first_line,
                                                proto::PublishedTables tables, NumberLines& lines) {
  const char separator = SeparatorOfLine(text.substr(0, text.find('\n')));
  absl::StatusOr<std::vector<CsvRow>> rows = ParseCsv(text, first_line, separator);
  if (!rows.ok()) {
    return absl::DataLossError(absl::StrCat(path, ":", rows.status().message()));
  }
  RemoveEmptyCells(*rows);
  if (rows->empty()) {
    return At(path, first_line,
              absl::DataLossError(absl::StrCat("expected the columns ", absl::StrJoin(kNeeded, ","),
                                               ", found none; comm_model --audit_template=lab.csv writes a sheet to "
                                               "fill in")));
  }
  const absl::StatusOr<Columns> columns = ReadColumns(rows->front());
  RETURN_IF_ERROR(At(path, rows->front().line, columns.status()));
  RETURN_IF_ERROR(At(path, first_line, CheckPublishedSize(0, static_cast<int64_t>(rows->size()) - 1)));
  RateUnits units;
  for (size_t i = 1; i < rows->size(); ++i) {
    if (separator != ',') {
      UseDecimalPoints(*columns, (*rows)[i]);
    }
    RETURN_IF_ERROR(At(path, (*rows)[i].line, ReadRow(*columns, (*rows)[i], units, tables, lines)));
  }
  if (!HasReadableText(tables)) {
    return absl::DataLossError(absl::StrCat(path, ": expected UTF-8; save the file in that encoding"));
  }
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

// Returns true if the first line names columns of one number per row, by "quantity" and another, or by three of them.
bool NamesColumnsOfRows(absl::string_view line) {
  const std::vector<std::string> fields = LowerFields(line);
  const auto is_there = [&](const char* name) { return std::count(fields.begin(), fields.end(), name) > 0; };
  const auto known = std::count_if(std::begin(kNeeded), std::end(kNeeded), is_there);
  return known > 2 || (known == 2 && is_there("quantity"));
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

}  // namespace

bool LooksLikeCsv(absl::string_view bytes) {
  const absl::StatusOr<std::string> plain = PlainText(bytes);
  if (!plain.ok()) {
    return false;
  }
  absl::string_view text = *plain;
  TakeRemarks(text);
  if (LooksLikeWandbChart(text)) {
    return true;
  }
  const absl::string_view line = TakeLine(text);
  const std::vector<std::string> fields = LowerFields(line);
  if (std::count(fields.begin(), fields.end(), "quantity") > 0) {
    return true;
  }
  TableFaults faults;
  return !LooksLikeTextFormat(line) && IsUtf8(*plain) && HasWideTable(ReadTableBlocks(*plain, faults));
}

absl::StatusOr<proto::PublishedTables> ParsePublishedCsv(absl::string_view bytes, const std::string& path,
                                                         NumberLines* lines) {
  const absl::StatusOr<std::string> plain = PlainText(bytes);
  if (!plain.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", plain.status().message()));
  }
  absl::string_view text = *plain;
  proto::PublishedTables tables;
  const std::vector<absl::string_view> remarks = TakeRemarks(text);
  if (!LooksLikeWandbChart(text) && !NamesColumnsOfRows(text.substr(0, text.find('\n'))) && IsUtf8(*plain)) {
    TableFaults faults;
    const TableBlocks blocks = ReadTableBlocks(*plain, faults);
    if (HasWideTable(blocks)) {
      return ReadWideTables(blocks, path, std::move(faults), lines);
    }
  }
  std::set<std::string> seen;
  for (size_t i = 0; i < remarks.size(); ++i) {
    RETURN_IF_ERROR(At(path, static_cast<int>(i) + 1, ReadRemark(remarks[i], seen, tables)));
  }
  const int first_line = static_cast<int>(remarks.size()) + 1;
  NumberLines unused;
  return LooksLikeWandbChart(text)
             ? ReadWandbChart(text, path, first_line, tables)
             : ReadRows(text, path, first_line, std::move(tables), lines != nullptr ? *lines : unused);
}

}  // namespace lockstep
