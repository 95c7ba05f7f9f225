#include "lib/published/csv_rows.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/published/blank_cell.h"
#include "lib/published/csv.h"
#include "lib/published/excerpt.h"
#include "lib/published/field_text.h"
#include "lib/published/printed_number.h"
#include "lib/published/published_check.h"
#include "lib/published/published_unit.h"
#include "lib/record/readable_text.h"

namespace lockstep {
namespace {

const char* const kNeeded[] = {"table", "quantity", "devices", "batch_per_device", "value", "unit", "as_printed"};
const char* const kOptional[] = {"context",    "epoch",    "note",     "base_devices",
                                 "base_batch", "restated", "read_off", "loader_workers"};

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

}  // namespace

std::vector<std::string> LowerFields(absl::string_view line) {
  const std::string lower = absl::AsciiStrToLower(absl::StripSuffix(line, "\r"));
  return absl::StrSplit(lower, SeparatorOfLine(line));
}

bool NamesCsvColumns(absl::string_view line) {
  const std::vector<std::string> fields = LowerFields(line);
  const auto is_there = [&](const char* name) { return std::count(fields.begin(), fields.end(), name) > 0; };
  const auto known = std::count_if(std::begin(kNeeded), std::end(kNeeded), is_there);
  return known > 2 || (known == 2 && is_there("quantity"));
}

absl::Status AtLine(const std::string& path, int line, const absl::Status& status) {
  return status.ok() ? status : absl::DataLossError(absl::StrCat(path, ":", line, ": ", status.message()));
}

absl::StatusOr<proto::PublishedTables> ReadCsvRows(absl::string_view text, const std::string& path, int first_line,
                                                   proto::PublishedTables tables, NumberLines& lines) {
  const char separator = SeparatorOfLine(text.substr(0, text.find('\n')));
  absl::StatusOr<std::vector<CsvRow>> rows = ParseCsv(text, first_line, separator);
  if (!rows.ok()) {
    return absl::DataLossError(absl::StrCat(path, ":", rows.status().message()));
  }
  RemoveEmptyCells(*rows);
  if (rows->empty()) {
    return AtLine(
        path, first_line,
        absl::DataLossError(absl::StrCat("expected the columns ", absl::StrJoin(kNeeded, ","),
                                         ", found none; comm_model --audit_template=lab.csv writes a sheet to "
                                         "fill in")));
  }
  const absl::StatusOr<Columns> columns = ReadColumns(rows->front());
  RETURN_IF_ERROR(AtLine(path, rows->front().line, columns.status()));
  RETURN_IF_ERROR(AtLine(path, first_line, CheckPublishedSize(0, static_cast<int64_t>(rows->size()) - 1)));
  RateUnits units;
  for (size_t i = 1; i < rows->size(); ++i) {
    if (separator != ',') {
      UseDecimalPoints(*columns, (*rows)[i]);
    }
    RETURN_IF_ERROR(AtLine(path, (*rows)[i].line, ReadRow(*columns, (*rows)[i], units, tables, lines)));
  }
  if (!HasReadableText(tables)) {
    return absl::DataLossError(absl::StrCat(path, ": expected UTF-8; save the file in that encoding"));
  }
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

}  // namespace lockstep
