#include "lib/report/csv.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/csv_cell.h"
#include "lib/report/render.h"

namespace lockstep {
namespace {

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
  const std::vector<std::string> columns = ColumnNames(table);
  if (!table.absent_reason().empty()) {
    out +=
        Line({"cell", section, CsvText(table.caption()), "", "", "", "", "", "", "", CsvText(table.absent_reason())});
  }
  for (int i = 0; i < table.row_size(); ++i) {
    const proto::Row& row = table.row(i);
    for (int j = 0; j < row.cell_size(); ++j) {
      const proto::Cell& cell = row.cell(j);
      // A published number is text as somebody typed it.
      const bool number = MarkOf(cell.provenance()) != nullptr && cell.provenance() != proto::PUBLISHED;
      out += Line({"cell", section, CsvText(table.caption()), absl::StrCat(i + 1), CsvText(row.cell(0).text()),
                   CsvText(columns[static_cast<size_t>(j)]), number ? CsvCell(cell.text()) : CsvText(cell.text()),
                   ProvenanceName(cell.provenance()), CsvCell(cell.exact()), CsvText(cell.method()),
                   CsvText(cell.absent_reason().empty() ? cell.note() : cell.absent_reason())});
    }
  }
}

void AppendPlot(const std::string& section, const proto::Plot& plot, std::string& out) {
  for (const proto::Series& series : plot.series()) {
    for (int i = 0; i < series.x_size(); ++i) {
      const bool bars = series.y_low_size() == series.x_size() && series.y_high_size() == series.x_size();
      out +=
          Line({"point", section, CsvText(plot.title()), absl::StrFormat("%.17g", series.x(i)), CsvText(series.label()),
                CsvText(plot.y_label()), absl::StrFormat("%.17g", series.y(i)), ProvenanceName(series.provenance()), "",
                "", bars ? absl::StrFormat("from %.17g to %.17g", series.y_low(i), series.y_high(i)) : ""});
    }
  }
}

}  // namespace

std::string RenderCsv(const std::vector<proto::Section>& sections) {
  std::string out =
      Line({"kind", "section", "of", "row", "label", "column", "text", "provenance", "exact", "method", "note"});
  for (const proto::Section& section : sections) {
    const std::string id = CsvText(section.id());
    for (const proto::Claim& claim : section.claim()) {
      out += Line({"answer", id, CsvText(claim.question()), "", CsvText(claim.asked()), "", CsvText(claim.text()), "",
                   "", "", CsvText(claim.absent_reason())});
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

}  // namespace lockstep
