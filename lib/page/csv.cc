#include "lib/page/csv.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lib/base/csv_cell.h"
#include "lib/base/utf8.h"
#include "lib/page/render.h"
#include "lib/page/summary_text.h"

namespace lockstep {
namespace {

constexpr absl::string_view kColumns = "kind,section,of,row,label,column,text,provenance,exact,method,note\r\n";

// Returns the cell for a text that occurs in many lines, such as a table's caption. A long text is cut: its beginning
// is enough to distinguish the lines, and the file stays about as large as the tables.
std::string Repeated(const std::string& text) {
  const absl::string_view start = FirstBytes(text, 1000);
  return CsvText(start.size() < text.size() ? absl::StrCat(start, "...") : text);
}

std::string Line(const std::vector<std::string>& fields) { return absl::StrCat(absl::StrJoin(fields, ","), "\r\n"); }

// Returns CsvText(text), without work for the many empty fields.
std::string Field(const std::string& text) { return text.empty() ? "" : CsvText(text); }

// Repeated() of a text that is often the same as the one before, such as the method of a column's numbers.
class LastRepeated {
 public:
  const std::string& Of(const std::string& text) {
    if (text != text_) {
      text_ = text;
      repeated_ = text.empty() ? "" : Repeated(text);
    }
    return repeated_;
  }

 private:
  std::string text_, repeated_;
};

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
    out += Line({"cell", section, caption, "", "", "", "", "", "", "", CsvText(table.absent_reason())});
  }
  std::vector<LastRepeated> methods(columns.size());
  for (int i = 0; i < table.row_size(); ++i) {
    const proto::Row& row = table.row(i);
    const std::string begin = absl::StrCat("cell,", section, ",", caption, ",", i + 1, ",",
                                           row.cell_size() > 0 ? Repeated(row.cell(0).text()) : "", ",");
    for (int j = 0; j < row.cell_size(); ++j) {
      const proto::Cell& cell = row.cell(j);
      const auto column = static_cast<size_t>(j);
      absl::StrAppend(&out, begin, columns[column], ",", Field(cell.text()), ",");
      absl::StrAppend(&out, ProvenanceName(cell.provenance()), ",", Field(cell.exact()), ",",
                      methods[column].Of(cell.method()), ",",
                      Field(cell.absent_reason().empty() ? cell.note() : cell.absent_reason()));
      out += "\r\n";
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
    for (const proto::SummaryCard& card : section.summary().card()) {
      out += Line({"card", id, CsvText(card.question()), "", CsvText(card.asked()), "", CsvText(card.verdict()), "",
                   CsvText(HeadlineText(card.headline())), "", CsvText(card.absent_reason())});
    }
    for (const proto::Claim& claim : section.claim()) {
      out += Line({"answer", id, CsvText(claim.question()), "", CsvText(claim.asked()), "",
                   CsvText(TextWithReferences(claim)), "", "", "", CsvText(claim.absent_reason())});
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
