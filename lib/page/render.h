// Shared parts of the renderers: drawn plots, provenance marks, and footnotes.
#ifndef LOCKSTEP_LIB_PAGE_RENDER_H_
#define LOCKSTEP_LIB_PAGE_RENDER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Plot as drawn, or the reason why it was not drawn.
struct DrawnPlot {
  std::string svg;            // an <svg> element (svg_plot.h)
  std::string file;           // name of the plot's own file next to the report; empty: not written
  std::string absent_reason;  // set instead of the two fields above
};

// Drawn plots by Plot.id.
using DrawnPlots = std::map<std::string, DrawnPlot>;

// Notation of a provenance: letter "m", name "measured", and meaning. MarkOf() returns null for a label.
struct ProvenanceMark {
  proto::Provenance provenance;
  absl::string_view letter;       // letter in HTML
  absl::string_view superscript;  // the same letter as a Unicode character, in Markdown
  absl::string_view name;         // name, also the class in HTML
  absl::string_view meaning;
};
const std::vector<ProvenanceMark>& ProvenanceMarks();
const ProvenanceMark* MarkOf(proto::Provenance provenance);

// Notation of spread, shown next to the legend.
extern const char kSpreadLegend[];

// Footnotes of one table: each reason or remark once, numbered from 1 in the order of the cells.
class Footnotes {
 public:
  explicit Footnotes(const proto::Table& table);

  // Returns the number of the cell's footnote; 0 if it has none.
  int NumberOf(const proto::Cell& cell) const;
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

// Returns the claim's text, and a line for each of its references: "The histograms are drawn under "Accuracy in int8"."
std::string TextWithReferences(const proto::Claim& claim);

// Returns the claim's sources. Those that share their beginning are combined: "a.b.{c, d}".
std::vector<std::string> CondensedSources(const proto::Claim& claim);

// Returns the provenance that all numbers of the column share, which is marked at its head. Returns null if they differ
// or there is no number.
const ProvenanceMark* ColumnMark(const proto::Table& table, int column);

// Collection of the notes that a page has already shown, so that each note appears once, below the first table that has
// it.
class NotesOnce {
 public:
  // Returns the notes of `table` that no earlier table had. Sets `caption_before` to the caption of the table that has
  // the others, or to "" if there are no others.
  std::vector<std::string> NewOf(const proto::Table& table, std::string& caption_before);

 private:
  std::map<std::string, std::string> caption_of_note_;
};

// Id of the table that lists the runs of Summary.run. A page may show them in another form instead.
inline constexpr char kListOfRuns[] = "list-of-runs";

// Returns true if the column holds a number or only blanks. Such a column is right-aligned.
bool IsNumeric(const proto::Table& table, int column);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_RENDER_H_
