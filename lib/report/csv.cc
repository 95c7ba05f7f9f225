#include "lib/report/csv.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "lib/report/render.h"

namespace lockstep {
namespace {

std::string Quoted(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

constexpr absl::string_view kColumns = "kind,section,of,row,label,column,text,provenance,exact,method,note\r\n";

// Characters by which a spreadsheet takes a text for a formula: in ASCII, and as wide as a CJK character (U+FF1D, FF0B,
// FF0D, FF20), which LibreOffice and Excel take, too.
constexpr absl::string_view kFormulaStarts[] = {
    "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};

// Spaces that a spreadsheet passes over before it looks: of ASCII, U+00A0, U+2000 to 200F, U+3000, and the byte order mark.
bool ConsumeSpace(absl::string_view& text) {
  if (!text.empty() && (absl::ascii_isspace(text[0]) || absl::ascii_iscntrl(text[0]))) {
    text.remove_prefix(1);
    return true;
  }
  if (text.size() >= 3 && absl::StartsWith(text, "\xE2\x80") && static_cast<unsigned char>(text[2]) <= 0x8F) {
    text.remove_prefix(3);
    return true;
  }
  return absl::ConsumePrefix(&text, "\xC2\xA0") || absl::ConsumePrefix(&text, "\xE3\x80\x80") ||
         absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
}

// Whether a spreadsheet may compute the text, or one that splits it at its beginning.
bool IsComputed(absl::string_view text) {
  const bool tab_or_return = !text.empty() && (text[0] == '\t' || text[0] == '\r');
  while (ConsumeSpace(text)) {
  }
  return tab_or_return || std::any_of(std::begin(kFormulaStarts), std::end(kFormulaStarts),
                                      [&](absl::string_view start) { return absl::StartsWith(text, start); });
}

// A label of a record may be called =cmd().
std::string Label(const std::string& text) { return Quoted(IsComputed(text) ? absl::StrCat("'", text) : text); }

// A number as it is shown: "-1.5" or "+3 %" is no formula, but what only calls itself a number may be one.
std::string Number(const std::string& text) {
  const bool signed_number = text.size() > 1 && (text[0] == '-' || text[0] == '+') && absl::ascii_isdigit(text[1]) &&
                             text.find_first_of("=(|!") == std::string::npos;
  return signed_number ? Quoted(text) : Label(text);
}

// A text that stands in many lines, as a table's caption does. Of a long one the beginning tells the lines apart, and
// the file stays about as large as the tables.
std::string Repeated(const std::string& text) {
  constexpr size_t kMaxBytes = 1000;
  size_t end = std::min(text.size(), kMaxBytes);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return Label(end < text.size() ? absl::StrCat(text.substr(0, end), "...") : text);
}

std::string Line(const std::vector<std::string>& fields) { return absl::StrCat(absl::StrJoin(fields, ","), "\r\n"); }

std::string ProvenanceName(proto::Provenance provenance) {
  const ProvenanceMark* const mark = MarkOf(provenance);
  return mark == nullptr ? "" : std::string(mark->name);
}

std::vector<std::string> ColumnNames(const proto::Table& table) {
  std::vector<std::string> names;
  for (const proto::ColumnGroup& group : table.column_group()) {
    for (uint32_t i = 0; i < group.columns() && static_cast<int>(names.size()) < table.column_size(); ++i) {
      const std::string& column = table.column(static_cast<int>(names.size()));
      names.push_back(group.title().empty() ? column : absl::StrCat(group.title(), ": ", column));
    }
  }
  for (int i = static_cast<int>(names.size()); i < table.column_size(); ++i) {
    names.push_back(table.column(i));
  }
  return names;
}

void AppendTable(const std::string& section, const proto::Table& table, std::string& out) {
  const std::string caption = Repeated(table.caption());
  std::vector<std::string> columns = ColumnNames(table);
  std::transform(columns.begin(), columns.end(), columns.begin(), Repeated);
  if (!table.absent_reason().empty()) {
    out += Line({"cell", section, caption, "", "", "", "", "", "", "", Label(table.absent_reason())});
  }
  for (int i = 0; i < table.row_size(); ++i) {
    const proto::Row& row = table.row(i);
    const std::string label = row.cell_size() > 0 ? Repeated(row.cell(0).text()) : "";
    for (int j = 0; j < row.cell_size(); ++j) {
      const proto::Cell& cell = row.cell(j);
      const bool number = MarkOf(cell.provenance()) != nullptr;
      out += Line({"cell", section, caption, absl::StrCat(i + 1), label, columns[static_cast<size_t>(j)],
                   number ? Number(cell.text()) : Label(cell.text()), ProvenanceName(cell.provenance()),
                   Number(cell.exact()), Repeated(cell.method()),
                   Label(cell.absent_reason().empty() ? cell.note() : cell.absent_reason())});
    }
  }
}

void AppendPlot(const std::string& section, const proto::Plot& plot, std::string& out) {
  const std::string title = Repeated(plot.title()), y_label = Repeated(plot.y_label());
  for (const proto::Series& series : plot.series()) {
    const std::string label = Repeated(series.label());
    for (int i = 0; i < series.x_size(); ++i) {
      const bool bars = series.y_low_size() == series.x_size() && series.y_high_size() == series.x_size();
      out += Line({"point", section, title, absl::StrFormat("%.17g", series.x(i)), label, y_label,
                   absl::StrFormat("%.17g", series.y(i)), ProvenanceName(series.provenance()), "", "",
                   bars ? absl::StrFormat("from %.17g to %.17g", series.y_low(i), series.y_high(i)) : ""});
    }
  }
}

}  // namespace

std::string RenderCsv(const std::vector<proto::Section>& sections) {
  std::string out(kColumns);
  for (const proto::Section& section : sections) {
    const std::string id = Repeated(section.id());
    for (const proto::Claim& claim : section.claim()) {
      out += Line({"answer", id, Label(claim.question()), "", Label(claim.asked()), "", Label(claim.text()), "", "", "",
                   Label(claim.absent_reason())});
    }
    for (const proto::Table& table : section.table()) {
      AppendTable(id, table, out);
    }
    for (const proto::Plot& plot : section.plot()) {
      AppendPlot(id, plot, out);
    }
  }
  return out;
}

bool IsReportCsv(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  return absl::StartsWith(text, absl::StripSuffix(kColumns, "\r\n"));
}

}  // namespace lockstep
