#include "lib/report/html.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/version.h"
#include "lib/report/escape.h"
#include "lib/report/html_style.h"

namespace lockstep {
namespace {

constexpr size_t kLongText = 24;  // labels longer than so many characters may be wrapped
constexpr size_t kProse = 80;     // and from here on they are sentences
constexpr size_t kDigestDigits = 64;

std::string Legend() {
  const std::string marks = absl::StrJoin(ProvenanceMarks(), "", [](std::string* out, const ProvenanceMark& mark) {
    absl::StrAppend(out, "<li class=\"", mark.name, "\"><sup class=\"mark\">", mark.letter, "</sup> ", mark.name, ": ",
                    mark.meaning, "</li>");
  });
  return absl::StrCat("<div class=\"legend\"><ul>", marks,
                      "</ul><p>A dash is a number that was not obtained; its note says "
                      "why. ",
                      EscapeHtml(kSpreadLegend), ".</p></div>\n");
}

std::string Contents(const std::vector<proto::Section>& sections) {
  return absl::StrCat("<nav aria-label=\"Sections\">",
                      absl::StrJoin(sections, " ",
                                    [](std::string* out, const proto::Section& section) {
                                      absl::StrAppend(out, "<a href=\"#", EscapeHtml(section.id()), "\">",
                                                      EscapeHtml(section.title()), "</a>");
                                    }),
                      "</nav>\n");
}

// Where a label may break; numbers never do.
std::string LabelClass(const std::string& text) {
  const bool hex = absl::c_all_of(text, [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); });
  return text.size() == kDigestDigits && hex ? "digest"
         : text.size() > kProse              ? "prose"
         : text.size() > kLongText           ? "long"
                                             : "";
}

// One table being written; `id` is unique on the page.
class TableWriter {
 public:
  TableWriter(const proto::Table& table, const std::string& id) : table_(table), id_(id), footnotes_(table) {
    int column = 0;
    for (const proto::ColumnGroup& group : table.column_group()) {
      first_of_group_.push_back(column);
      column += static_cast<int>(group.columns());
    }
  }

  void Append(std::string& out) const {
    absl::StrAppend(&out, "<div class=\"table\">");
    if (!table_.absent_reason().empty()) {
      absl::StrAppend(&out, "<figure class=\"absent\"><strong>", EscapeHtml(table_.caption()),
                      "</strong><br>Blank: ", EscapeHtml(table_.absent_reason()), ".</figure></div>\n");
      return;
    }
    absl::StrAppend(&out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"",
                    EscapeHtml(table_.caption()), "\"><table>\n<caption>", EscapeHtml(table_.caption()),
                    "</caption>\n<thead>");
    AppendHead(out);
    absl::StrAppend(&out, "</thead>\n<tbody>\n");
    for (const proto::Row& row : table_.row()) {
      out += "<tr>";
      for (int i = 0; i < row.cell_size(); ++i) {
        AppendCell(row.cell(i), i, out);
      }
      out += "</tr>\n";
    }
    absl::StrAppend(&out, "</tbody></table></div>\n");
    AppendNotes(out);
    absl::StrAppend(&out, "</div>\n");
  }

 private:
  bool FirstOfGroup(int column) const { return column > 0 && absl::c_linear_search(first_of_group_, column); }

  std::string NoteId(int number) const { return absl::StrCat(id_, "-note", number); }

  void AppendHead(std::string& out) const {
    if (!table_.column_group().empty()) {
      out += "<tr>";
      for (int i = 0; i < table_.column_group_size(); ++i) {
        const proto::ColumnGroup& group = table_.column_group(i);
        absl::StrAppend(&out, group.title().empty() ? "<td" : "<th scope=\"colgroup\"", " class=\"group",
                        FirstOfGroup(first_of_group_[static_cast<size_t>(i)]) ? " first" : "", "\" colspan=\"",
                        group.columns(), "\">", EscapeHtml(group.title()), group.title().empty() ? "</td>" : "</th>");
      }
      out += "</tr>\n";
    }
    out += "<tr>";
    for (int i = 0; i < table_.column_size(); ++i) {
      absl::StrAppend(&out, "<th scope=\"col\"",
                      ClassOf({IsNumeric(table_, i) ? "number" : "", FirstOfGroup(i) ? "first" : ""}), ">",
                      EscapeHtml(table_.column(i)), "</th>");
    }
    out += "</tr>";
  }

  static std::string ClassOf(const std::vector<std::string>& names) {
    std::string classes;
    for (const std::string& name : names) {
      absl::StrAppend(&classes, classes.empty() || name.empty() ? "" : " ", name);
    }
    return classes.empty() ? "" : absl::StrCat(" class=\"", classes, "\"");
  }

  std::string Reference(int footnote) const {
    return footnote == 0 ? ""
                         : absl::StrCat("<sup><a href=\"#", NoteId(footnote), "\" aria-label=\"note ", footnote, "\">",
                                        footnote, "</a></sup>");
  }

  void AppendCell(const proto::Cell& cell, int column, std::string& out) const {
    const std::string first = FirstOfGroup(column) ? "first" : "";
    const std::string number = IsNumeric(table_, column) ? "number" : "";
    const std::string reference = Reference(footnotes_.NumberOf(cell));
    if (!cell.absent_reason().empty()) {
      absl::StrAppend(&out, "<td", ClassOf({"absent", number, first}), " title=\"", EscapeHtml(cell.absent_reason()),
                      "\">–", reference, "</td>");
      return;
    }
    const ProvenanceMark* mark = MarkOf(cell.provenance());
    if (mark == nullptr) {
      const absl::string_view tag = column == 0 ? "th" : "td";
      absl::StrAppend(&out, "<", tag, column == 0 ? " scope=\"row\"" : "",
                      ClassOf({number, LabelClass(cell.text()), first}), ">", EscapeHtml(cell.text()), reference, "</",
                      tag, ">");
      return;
    }
    absl::StrAppend(&out, "<td", ClassOf({number, std::string(mark->name), first}), " title=\"", mark->name,
                    cell.method().empty() ? "" : absl::StrCat(": ", EscapeHtml(cell.method())), "\">",
                    EscapeHtml(cell.text()), "<sup class=\"mark\">", mark->letter, "</sup>", reference, "</td>");
  }

  void AppendNotes(std::string& out) const {
    if (!footnotes_.texts().empty()) {
      absl::StrAppend(&out, "<ol class=\"notes numbered\">");
      for (size_t i = 0; i < footnotes_.texts().size(); ++i) {
        absl::StrAppend(&out, "<li id=\"", NoteId(static_cast<int>(i) + 1), "\">", EscapeHtml(footnotes_.texts()[i]),
                        "</li>");
      }
      absl::StrAppend(&out, "</ol>\n");
    }
    if (!table_.note().empty()) {
      absl::StrAppend(&out, "<ul class=\"notes\">");
      for (const std::string& note : table_.note()) {
        absl::StrAppend(&out, "<li>", EscapeHtml(note), "</li>");
      }
      absl::StrAppend(&out, "</ul>\n");
    }
  }

  const proto::Table& table_;
  const std::string id_;
  const Footnotes footnotes_;
  std::vector<int> first_of_group_;
};

void AppendClaims(const proto::Section& section, std::string& out) {
  if (section.claim().empty()) {
    return;
  }
  out += "<dl class=\"answers\">\n";
  for (const proto::Claim& claim : section.claim()) {
    absl::StrAppend(&out, "<dt><span class=\"question\">", EscapeHtml(claim.question()), "</span>",
                    EscapeHtml(claim.asked()), "</dt>\n");
    if (!claim.absent_reason().empty()) {
      absl::StrAppend(&out, "<dd class=\"absent\">No answer: ", EscapeHtml(claim.absent_reason()), ".</dd>\n");
      continue;
    }
    const std::string sources =
        absl::StrJoin(CondensedSources(claim), ", ", [](std::string* text, const std::string& source) {
          absl::StrAppend(text, "<code>", EscapeHtml(source), "</code>");
        });
    absl::StrAppend(&out, "<dd>", absl::StrReplaceAll(EscapeHtml(claim.text()), {{"\n", "<br>\n"}}),
                    sources.empty() ? "" : absl::StrCat("<div class=\"sources\">From ", sources, "</div>"), "</dd>\n");
  }
  out += "</dl>\n";
}

void AppendPlot(const proto::Plot& plot, const DrawnPlots& plots, std::string& out) {
  const auto drawn = plots.find(plot.id());
  if (drawn == plots.end() || drawn->second.svg.empty()) {
    absl::StrAppend(&out, "<figure class=\"absent\"><strong>", EscapeHtml(plot.title()), "</strong><br>",
                    EscapeHtml(drawn == plots.end() ? "not drawn" : drawn->second.absent_reason), ".</figure>\n");
    return;
  }
  absl::StrAppend(&out, "<figure><figcaption>", EscapeHtml(plot.title()), "</figcaption>\n", drawn->second.svg,
                  "</figure>\n");
}

void AppendSection(const proto::Section& section, const DrawnPlots& plots, std::string& out) {
  const std::string id = EscapeHtml(section.id());
  absl::StrAppend(&out, "<section id=\"", id, "\" aria-labelledby=\"", id, "-heading\">\n<h2 id=\"", id, "-heading\">",
                  EscapeHtml(section.title()), "</h2>\n");
  for (const std::string& warning : section.warning()) {
    absl::StrAppend(&out, "<p class=\"warning\"><strong>Warning.</strong> ", EscapeHtml(warning), "</p>\n");
  }
  for (const std::string& paragraph : section.paragraph()) {
    absl::StrAppend(&out, "<p>", EscapeHtml(paragraph), "</p>\n");
  }
  AppendClaims(section, out);
  for (const proto::Plot& plot : section.plot()) {
    AppendPlot(plot, plots, out);
  }
  for (int i = 0; i < section.table_size(); ++i) {
    TableWriter(section.table(i), absl::StrCat(id, "-table", i + 1)).Append(out);
  }
  out += "</section>\n";
}

}  // namespace

std::string RenderHtml(const std::string& title, const std::vector<proto::Section>& sections, const DrawnPlots& plots) {
  std::string out = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      EscapeHtml(title), "</title>\n<style>", kStyleSheet, "</style>\n</head>\n<body>\n<header><h1>", EscapeHtml(title),
      "</h1></header>\n<main>\n", Contents(sections), Legend());
  for (const proto::Section& section : sections) {
    AppendSection(section, plots, out);
  }
  absl::StrAppend(&out, "</main>\n<footer>Made by report (Lockstep ", kVersion,
                  ") from the records named above.</footer>\n"
                  "</body>\n</html>\n");
  return out;
}

}  // namespace lockstep
