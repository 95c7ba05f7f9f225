// What both renderers need: drawn plots, marks of provenance, and footnotes.
#ifndef LOCKSTEP_LIB_REPORT_RENDER_H_
#define LOCKSTEP_LIB_REPORT_RENDER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// One plot as drawn, or why it was not.
struct DrawnPlot {
  std::string svg;            // an <svg> element (gnuplot.h)
  std::string file;           // name of the file of its own beside the report; empty: none was written
  std::string absent_reason;  // set instead of both
};

// By Plot.id.
using DrawnPlots = std::map<std::string, DrawnPlot>;

// How a provenance is marked: "m", "measured", and what that means. Null for a label.
struct ProvenanceMark {
  proto::Provenance provenance;
  absl::string_view letter;       // in HTML
  absl::string_view superscript;  // the same letter as a Unicode character, in Markdown
  absl::string_view name;         // also the class in HTML
  absl::string_view meaning;
};
const std::vector<ProvenanceMark>& ProvenanceMarks();
const ProvenanceMark* MarkOf(proto::Provenance provenance);

// How spread is written; shown beside the legend.
extern const char kSpreadLegend[];

// The footnotes of one table: each reason or remark once, numbered from 1 in the order of the cells.
class Footnotes {
 public:
  explicit Footnotes(const proto::Table& table);

  // The number of the cell's footnote; 0: none.
  int NumberOf(const proto::Cell& cell) const;
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

// The claim's sources, those with the same beginning put together: "a.b.{c, d}".
std::vector<std::string> CondensedSources(const proto::Claim& claim);

// The provenance that every number of the column has, marked at its head; null: they differ, or it has none.
const ProvenanceMark* ColumnMark(const proto::Table& table, int column);

// What a page says once: notes below its tables, in the order of the page.
class NotesOnce {
 public:
  // Those notes of `table` that no table before it had. `caption_before` gets the caption of the table that has the
  // others; empty: there are none.
  std::vector<std::string> NewOf(const proto::Table& table, std::string& caption_before);

 private:
  std::map<std::string, std::string> caption_of_note_;
};

// Columns with a number, or with nothing but blanks, stand to the right.
bool IsNumeric(const proto::Table& table, int column);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_RENDER_H_
