#include "lib/page/html_table.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "lib/page/escape.h"
#include "lib/page/html_cell.h"

namespace lockstep {
namespace {

constexpr double kWide = 1100;  // pixels of a row that fit into a page of 1,184 px

// Returns the number of rows from `first` on that have the same first label, at least 1.
int RowsOfGroup(const proto::Table& table, int first) {
  int rows = 1;
  while (first + rows < table.row_size() && table.row(first + rows).cell(0).text() == table.row(first).cell(0).text()) {
    ++rows;
  }
  return rows;
}

std::string MarkHtml(const ProvenanceMark& mark) {
  return absl::StrCat("<sup class=\"mark\" title=\"", mark.name, "\">", mark.letter, "</sup>");
}

std::string NameOf(const ProvenanceMark* mark) { return mark == nullptr ? "" : std::string(mark->name); }

}  // namespace

HtmlTable::HtmlTable(const proto::Table& table, const std::string& id) : table_(table), id_(id), footnotes_(table) {
  int column = 0;
  for (const proto::ColumnGroup& group : table.column_group()) {
    first_of_group_.push_back(column);
    column += static_cast<int>(group.columns());
  }
  for (int i = 0; i < table.column_size(); ++i) {
    column_mark_.push_back(ColumnMark(table, i));
    spread_length_.push_back(SpreadLength(table, i));
  }
  wide_ = WidthInPixels(table) > kWide;
}

void HtmlTable::Append(Shown shown, const std::string& style, NotesOnce& notes, std::string& out) const {
  const bool closed = shown == Shown::kClosed && table_.absent_reason().empty();
  const std::string id = absl::StrCat(" id=\"", id_, "-heading\">");
  const std::string heading =  // older HTML rules allow only words in a summary
      closed ? absl::StrCat("<summary><span role=\"heading\" aria-level=\"3\"", id, EscapeHtml(table_.caption()),
                            "</span></summary>")
             : absl::StrCat("<h3", id, EscapeHtml(table_.caption()), "</h3>");
  const bool sized = !wide_ && absl::c_any_of(spread_length_, [](size_t length) { return length > 0; });
  absl::StrAppend(&out, closed ? "<details" : "<div",
                  ClassOf({"box table",
                           wide_   ? "wide"
                           : sized ? "sized"
                                   : "",
                           style}),
                  " id=\"", id_, "\">", heading, "\n");
  if (table_.absent_reason().empty()) {
    AppendTable(out);
    AppendNotes(notes, out);
  } else {
    absl::StrAppend(&out, "<p class=\"absent\">Blank: ", EscapeHtml(table_.absent_reason()), ".</p>\n");
  }
  absl::StrAppend(&out, closed ? "</details>\n" : "</div>\n");
}

void HtmlTable::AppendTable(std::string& out) const {
  absl::StrAppend(&out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"", id_,
                  "-heading\"><table aria-labelledby=\"", id_, "-heading\">\n<thead>");
  AppendHead(out);
  absl::StrAppend(&out, "</thead>\n");
  AppendRows(out);
  absl::StrAppend(&out, "</table></div>\n");
}

void HtmlTable::AppendHead(std::string& out) const {
  AppendGroups(out);
  out += "<tr>";
  for (int i = 0; i < table_.column_size(); ++i) {
    const auto column = static_cast<size_t>(i);
    absl::StrAppend(
        &out, "<th scope=\"col\"",
        ClassOf({ShowsNumbers(table_, i) ? "number" : "", spread_length_[column] > 0 ? "has-spread" : "",
                 FirstOfGroup(i) ? "first" : "", NameOf(column_mark_[column])}),
        SpreadStyle(i), ">",
        HeadingHtml(table_.column(i), column_mark_[column] == nullptr ? "" : MarkHtml(*column_mark_[column])), "</th>");
  }
  out += "</tr>";
}

void HtmlTable::AppendGroups(std::string& out) const {
  if (table_.column_group().empty()) {
    return;
  }
  out += "<tr>";
  for (int i = 0; i < table_.column_group_size(); ++i) {
    const proto::ColumnGroup& group = table_.column_group(i);
    const bool titled = !group.title().empty();
    absl::StrAppend(
        &out, titled ? "<th scope=\"colgroup\"" : "<td",
        ClassOf({titled ? "group" : "", FirstOfGroup(first_of_group_[static_cast<size_t>(i)]) ? "first" : ""}),
        " colspan=\"", group.columns(), "\">", EscapeHtml(group.title()), titled ? "</th>" : "</td>");
  }
  out += "</tr>\n";
}

void HtmlTable::AppendRows(std::string& out) const {
  for (int first = 0; first < table_.row_size();) {
    const int rows = table_.grouped() ? RowsOfGroup(table_, first) : table_.row_size();
    absl::StrAppend(&out, "<tbody>\n");
    for (int i = 0; i < rows; ++i) {
      AppendRow(table_.row(first + i), !table_.grouped() ? 1 : i == 0 ? rows : 0, out);
    }
    absl::StrAppend(&out, "</tbody>");
    first += rows;
  }
}

// Appends a row. Its first cell is the label of the group for `rows_of_group` rows; 0: the row has no first cell.
void HtmlTable::AppendRow(const proto::Row& row, int rows_of_group, std::string& out) const {
  out += "<tr>";
  if (table_.grouped() && rows_of_group > 0) {
    absl::StrAppend(&out, "<th scope=\"rowgroup\" rowspan=\"", rows_of_group, "\"",
                    ClassOf({ShowsNumbers(table_, 0) ? "number" : "", LabelClass(row.cell(0).text())}), ">",
                    EscapeHtml(row.cell(0).text()), Reference(row.cell(0)), "</th>");
  }
  for (int i = table_.grouped() ? 1 : 0; i < row.cell_size(); ++i) {
    AppendCell(row.cell(i), i, out);
  }
  out += "</tr>\n";
}

void HtmlTable::AppendCell(const proto::Cell& cell, int column, std::string& out) const {
  const std::string first = FirstOfGroup(column) ? "first" : "";
  const std::string number = ShowsNumbers(table_, column) ? "number" : "";
  const std::string reference = Reference(cell);
  if (!cell.absent_reason().empty()) {
    absl::StrAppend(&out, "<td", ClassOf({"absent", number, first}), " title=\"", EscapeHtml(cell.absent_reason()),
                    "\"", SpreadStyle(column), ">–", reference, EmptySpread(column, ""), "</td>");
    return;
  }
  const ProvenanceMark* const mark = MarkOf(cell.provenance());
  if (mark == nullptr) {
    const bool names_row = column == (table_.grouped() ? 1 : 0);
    const absl::string_view tag = names_row ? "th" : "td";
    absl::StrAppend(&out, "<", tag, names_row ? " scope=\"row\"" : "",
                    ClassOf({number, LabelClass(cell.text()), first}), SpreadStyle(column), ">",
                    EscapeHtml(cell.text()), reference, EmptySpread(column, cell.text()), "</", tag, ">");
    return;
  }
  const bool marked_at_head = column_mark_[static_cast<size_t>(column)] != nullptr;
  absl::StrAppend(&out, "<td", ClassOf({number, std::string(mark->name), first}), " title=\"", mark->name,
                  cell.method().empty() ? "" : absl::StrCat(": ", EscapeHtml(cell.method())),
                  cell.exact().empty() ? "" : absl::StrCat("; all digits: ", EscapeHtml(cell.exact())), "\"",
                  SpreadStyle(column), ">", NumberHtml(cell.text()),
                  marked_at_head ? "" : absl::StrCat("<sup class=\"mark\">", mark->letter, "</sup>"), reference,
                  EmptySpread(column, cell.text()), "</td>");
}

void HtmlTable::AppendNotes(NotesOnce& notes, std::string& out) const {
  if (!footnotes_.texts().empty()) {
    absl::StrAppend(&out, "<ol class=\"notes\">");
    for (size_t i = 0; i < footnotes_.texts().size(); ++i) {
      absl::StrAppend(&out, "<li id=\"", NoteId(static_cast<int>(i) + 1), "\">", EscapeHtml(footnotes_.texts()[i]),
                      "</li>");
    }
    absl::StrAppend(&out, "</ol>\n");
  }
  std::string before;
  std::vector<std::string> texts = notes.NewOf(table_, before);
  if (!before.empty()) {
    texts.push_back(absl::StrCat("Other notes: see \"", before, "\"."));
  }
  if (!texts.empty()) {
    absl::StrAppend(&out, "<ul class=\"notes\">");
    for (const std::string& note : texts) {
      absl::StrAppend(&out, "<li>", EscapeHtml(note), "</li>");
    }
    absl::StrAppend(&out, "</ul>\n");
  }
}

bool HtmlTable::FirstOfGroup(int column) const { return column > 0 && absl::c_linear_search(first_of_group_, column); }

std::string HtmlTable::NoteId(int number) const { return absl::StrCat(id_, "-note", number); }

std::string HtmlTable::Reference(const proto::Cell& cell) const {
  const int footnote = footnotes_.NumberOf(cell);
  return footnote == 0 ? ""
                       : absl::StrCat("<sup><a href=\"#", NoteId(footnote), "\" aria-label=\"note ", footnote, "\">",
                                      footnote, "</a></sup>");
}

// Returns the attribute that gives the spreads of a column the same width; empty without spreads.
std::string HtmlTable::SpreadStyle(int column) const {
  const size_t length = spread_length_[static_cast<size_t>(column)];
  return wide_ || length == 0 ? "" : absl::StrCat(" style=\"--n:", length, "\"");
}

// Returns a span that aligns a number without a spread with the others of its column.
std::string HtmlTable::EmptySpread(int column, const std::string& text) const {
  return wide_ || spread_length_[static_cast<size_t>(column)] == 0 || SpreadLength(text) > 0
             ? ""
             : "<span class=\"spread pad\">\u00a0</span>";
}

}  // namespace lockstep
