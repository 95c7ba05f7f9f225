#include "lib/page/html_tables.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/page/escape.h"
#include "lib/page/html_cell.h"
#include "lib/page/html_table.h"

namespace lockstep {
namespace {

constexpr double kNarrow = 510;  // pixels of a row that fit into half of a page of 1,160 px
constexpr int kHeadingRows = 4;  // height of a caption, a heading and the edges, in rows
constexpr int kShownRuns = 12;   // runs that are shown open

std::string RunHtml(const proto::LabRun& run) {
  const std::string rest =
      absl::StrCat(run.date(), run.date().empty() || run.file().empty() ? "" : " \u00b7 ", run.file());
  return absl::StrCat("<li><b class=\"letter\">", EscapeHtml(run.letter()), "</b><span>", EscapeHtml(run.what()),
                      "<small>", EscapeHtml(run.machine()), "</small><small>", EscapeHtml(rest),
                      "</small></span></li>\n");
}

std::string RunsHtml(const proto::Summary& summary, const std::string& caption, const std::string& style) {
  std::string html = absl::StrCat("<div", ClassOf({"box", style}), " id=\"", kListOfRuns, "\"><h3>",
                                  EscapeHtml(caption), "</h3>\n<ul class=\"runs\">\n");
  for (int i = 0; i < summary.run_size(); ++i) {
    if (i == kShownRuns) {
      absl::StrAppend(&html, "</ul>\n<details class=\"more\"><summary>", summary.run_size() - kShownRuns,
                      " more runs</summary>\n<ul class=\"runs\">\n");
    }
    html += RunHtml(summary.run(i));
  }
  absl::StrAppend(&html, "</ul>\n", summary.run_size() > kShownRuns ? "</details>\n" : "", "</div>\n");
  return html;
}

// Two columns of boxes, each next one in the shorter column.
class Stacks {
 public:
  void Add(const std::string& box, int height) {
    const size_t shorter = heights_[1] < heights_[0] ? 1 : 0;
    boxes_[shorter] += box;
    heights_[shorter] += height;
  }

  // Returns the columns and forgets them.
  std::string Take() {
    std::string html;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      absl::StrAppend(&html, boxes_[i].empty() ? "" : absl::StrCat("<div class=\"stack\">\n", boxes_[i], "</div>\n"));
      boxes_[i].clear();
      heights_[i] = 0;
    }
    return html;
  }

 private:
  std::array<std::string, 2> boxes_;
  std::array<int, 2> heights_ = {0, 0};
};

}  // namespace

void AppendTables(const proto::Section& section, const proto::Summary& summary, NotesOnce& notes, std::string& out) {
  const bool closed = section.role() == proto::DETAIL;
  Stacks stacks;
  std::string html;
  for (int i = 0; i < section.table_size(); ++i) {
    const proto::Table& table = section.table(i);
    if (table.id() == kListOfRuns && !summary.run().empty()) {
      if (section.table_size() == 1) {
        html += RunsHtml(summary, table.caption(), "whole");
      } else {
        stacks.Add(RunsHtml(summary, table.caption(), ""), kHeadingRows + 2 * summary.run_size());
      }
      continue;
    }
    const std::string id = EscapeHtml(table.id().empty() ? absl::StrCat(section.id(), "-table", i + 1) : table.id());
    const HtmlTable writer(table, id);
    if (closed) {
      writer.Append(HtmlTable::Shown::kClosed, "", notes, html);
    } else if (WidthInPixels(table) <= kNarrow) {
      std::string box;
      writer.Append(HtmlTable::Shown::kOpen, "", notes, box);
      stacks.Add(box, kHeadingRows + table.row_size());
    } else {
      html += stacks.Take();
      writer.Append(HtmlTable::Shown::kOpen, "whole", notes, html);
    }
  }
  html += stacks.Take();
  absl::StrAppend(&out,
                  html.empty() ? ""
                  : closed     ? "<div class=\"closed\">\n"
                               : "<div class=\"tables\">\n",
                  html, html.empty() ? "" : "</div>\n");
}

}  // namespace lockstep
