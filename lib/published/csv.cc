#include "lib/published/csv.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Removes fields from the front of a text.
class Scanner {
 public:
  Scanner(absl::string_view text, int line, char separator) : text_(text), line_(line), separator_(separator) {}

  bool AtEnd() const { return text_.empty(); }
  int line() const { return line_; }

  absl::StatusOr<std::string> TakeField() { return absl::StartsWith(text_, "\"") ? TakeQuoted() : TakePlain(); }

  // Must be called after a field. Returns true if another field follows in the row, false at the end of the row.
  bool TakeSeparator() {
    if (!text_.empty() && text_[0] == separator_) {
      text_.remove_prefix(1);
      return true;
    }
    if (absl::ConsumePrefix(&text_, "\r\n") || absl::ConsumePrefix(&text_, "\n")) {
      ++line_;
    }
    return false;
  }

 private:
  bool EndsField(absl::string_view rest) const {
    return rest.empty() || rest[0] == separator_ || rest[0] == '\n' || absl::StartsWith(rest, "\r\n");
  }

  absl::StatusOr<std::string> TakePlain() {
    size_t size = 0;
    while (!EndsField(text_.substr(size))) {
      if (text_[size] == '"') {
        return absl::DataLossError(absl::StrCat(
            line_, ": a quote inside a field; put the whole field in quotes and write the quote twice (RFC 4180)"));
      }
      ++size;
    }
    std::string field(text_.substr(0, size));
    text_.remove_prefix(size);
    return field;
  }

  absl::StatusOr<std::string> TakeQuoted() {
    const int begin = line_;
    text_.remove_prefix(1);
    std::string field;
    while (true) {
      const size_t quote = text_.find('"');
      if (quote == absl::string_view::npos) {
        return absl::DataLossError(
            absl::StrCat(begin, ": a quote is opened and never closed; close it, or write the quote twice (RFC 4180)"));
      }
      const absl::string_view part = text_.substr(0, quote);
      line_ += static_cast<int>(std::count(part.begin(), part.end(), '\n'));
      absl::StrAppend(&field, part);
      text_.remove_prefix(quote + 1);
      if (!absl::ConsumePrefix(&text_, "\"")) {
        break;
      }
      field += '"';
    }
    if (!EndsField(text_)) {
      return absl::DataLossError(
          absl::StrCat(line_, ": expected a ",
                       separator_ == ','   ? "comma"
                       : separator_ == ';' ? "semicolon"
                                           : "tab",
                       " or the end of the line after a closing quote; write a quote inside a field twice"));
    }
    return field;
  }

  absl::string_view text_;
  int line_;
  char separator_;
};

}  // namespace

char SeparatorOfLine(absl::string_view line) {
  size_t commas = 0, semicolons = 0, tabs = 0;
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    commas += !quoted && c == ',' ? 1 : 0;
    semicolons += !quoted && c == ';' ? 1 : 0;
    tabs += !quoted && c == '\t' ? 1 : 0;
  }
  if (std::max(semicolons, tabs) <= commas) {
    return ',';
  }
  return tabs > semicolons ? '\t' : ';';
}

absl::StatusOr<std::vector<CsvRow>> ParseCsv(absl::string_view text, int first_line, char separator) {
  std::vector<CsvRow> rows;
  Scanner scanner(text, first_line, separator);
  while (!scanner.AtEnd()) {
    CsvRow row;
    row.line = scanner.line();
    do {
      ASSIGN_OR_RETURN(std::string field, scanner.TakeField());
      row.fields.push_back(std::move(field));
      if (row.fields.size() > kMaxCsvFields) {
        return absl::DataLossError(
            absl::StrCat(row.line, ": expected at most ", kMaxCsvFields, " fields, found more; divide the table"));
      }
    } while (scanner.TakeSeparator());
    if (row.fields.size() > 1 || !row.fields[0].empty()) {
      rows.push_back(std::move(row));
      if (rows.size() > kMaxCsvRows) {
        return absl::DataLossError(
            absl::StrCat(scanner.line(), ": expected at most ", kMaxCsvRows, " rows, found more; divide the file"));
      }
    }
  }
  return rows;
}

}  // namespace lockstep
