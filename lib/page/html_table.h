// One table of the HTML report.
#ifndef LOCKSTEP_LIB_PAGE_HTML_TABLE_H_
#define LOCKSTEP_LIB_PAGE_HTML_TABLE_H_

#include <string>
#include <vector>

#include "lib/page/render.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Writer of one table. The table must outlive the writer; `id` must be unique on the page and escaped.
class HtmlTable {
 public:
  enum class Shown { kOpen, kClosed };

  HtmlTable(const proto::Table& table, const std::string& id);

  // Appends the table in a box with its caption, notes and footnotes. The caption of a closed table opens it. `style`
  // is a further class of the box. A table without rows is shown open, with the reason.
  void Append(Shown shown, const std::string& style, NotesOnce& notes, std::string& out) const;

 private:
  void AppendTable(std::string& out) const;
  void AppendHead(std::string& out) const;
  void AppendGroups(std::string& out) const;
  void AppendRows(std::string& out) const;
  void AppendRow(const proto::Row& row, int rows_of_group, std::string& out) const;
  void AppendCell(const proto::Cell& cell, int column, std::string& out) const;
  void AppendNotes(NotesOnce& notes, std::string& out) const;

  bool FirstOfGroup(int column) const;
  std::string NoteId(int number) const;
  std::string Reference(const proto::Cell& cell) const;
  std::string SpreadStyle(int column) const;
  std::string EmptySpread(int column, const std::string& text) const;

  const proto::Table& table_;
  const std::string id_;
  const Footnotes footnotes_;
  std::vector<int> first_of_group_;                 // first columns of the column groups
  std::vector<const ProvenanceMark*> column_mark_;  // mark of each column; null: its cells differ
  bool wide_;                                       // true: spreads are below their numbers
  std::vector<size_t> spread_length_;               // longest spread or interval of each column
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_TABLE_H_
