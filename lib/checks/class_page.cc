#include "lib/checks/class_page.h"

#include <algorithm>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "lib/base/log_line.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/utf8.h"
#include "lib/checks/check.h"
#include "lib/page/html.h"
#include "lib/record/output_file.h"
#include "lib/record/readable_text.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr char kClassMark[] = "made by Lockstep: report, class page";

void AddCell(const std::string& text, proto::Row& row) { row.add_cell()->set_text(text.empty() ? "-" : text); }

// Limits of the page. A student can write files with any number of mistakes and texts of any length.
constexpr size_t kMaxTextBytes = 500;       // length of one text
constexpr size_t kMaxLines = 10;            // number of lines of one cell
constexpr size_t kMaxStudentFindings = 20;  // number of rows of one student

// Returns the beginning of a text as UTF-8, cut between characters, with "..." if there is more.
std::string Shortened(const std::string& text) {
  const std::string readable = ToUtf8(text);
  const absl::string_view start = FirstBytes(readable, kMaxTextBytes);
  return start.size() == readable.size() ? readable : absl::StrCat(start, "...");
}

std::string Lines(const std::vector<std::string>& lines) {
  const size_t shown = std::min(lines.size(), kMaxLines);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "; ", Shortened(lines[i]));
  }
  return lines.size() > shown ? absl::StrCat(text, "; and ", lines.size() - shown, " more") : text;
}

void AddUnread(const std::vector<UnreadFile>& files, const char* none_named, std::vector<std::string>& lines) {
  for (const UnreadFile& file : files) {
    lines.push_back(absl::StrCat(file.name.empty() ? none_named : file.name, ": ", file.why));
  }
}

bool HasNothing(const ClassStudent& student) { return student.files.empty() && student.unreadable.empty(); }

std::string UnreadText(const ClassStudent& student) {
  std::vector<std::string> lines;
  AddUnread(student.unreadable, "the folder", lines);
  AddUnread(student.left_out, "the folder", lines);
  if (HasNothing(student)) {
    const size_t unnamed = student.other_file_count - student.other_files.size();
    lines.push_back(student.other_files.empty()
                        ? "no file is in it"
                        : absl::StrCat("neither a record nor a table is in it, but ",
                                       absl::StrJoin(student.other_files, ", "),
                                       unnamed > 0 ? absl::StrCat(" and ", unnamed, " more") : ""));
  }
  return Lines(lines);
}

bool IsClean(const ClassStudent& student) {
  return FailedRules(student.findings).empty() && student.unreadable.empty() && !HasNothing(student) &&
         student.copies.empty() && student.outliers.empty();
}

proto::Table StudentsTable(const std::vector<ClassStudent>& students) {
  proto::Table table;
  table.set_id("students");
  table.set_caption("Students");
  for (const char* column : {"student", "files", "not checked", "broken rules", "copies", "far from the class"}) {
    table.add_column(column);
  }
  for (const ClassStudent& student : students) {
    proto::Row& row = *table.add_row();
    AddCell(student.name, row);
    AddCell(absl::StrCat(student.files.size()), row);
    AddCell(UnreadText(student), row);
    AddCell(absl::StrJoin(FailedRules(student.findings), ", "), row);
    AddCell(Lines(student.copies), row);
    AddCell(Lines(student.outliers), row);
  }
  return table;
}

proto::Table FindingsTable(const std::vector<ClassStudent>& students) {
  proto::Table table;
  table.set_id("findings");
  table.set_caption("The numbers that broke a rule");
  for (const char* column : {"student", "rule", "where", "numbers"}) {
    table.add_column(column);
  }
  for (const ClassStudent& student : students) {
    size_t rows = 0;
    for (const CheckFinding& finding : student.findings) {
      const CheckRule* const rule = FindCheckRule(finding.rule);
      if (rule != nullptr && rule->fails && ++rows <= kMaxStudentFindings) {
        proto::Row& row = *table.add_row();
        AddCell(student.name, row);
        AddCell(finding.rule, row);
        AddCell(Shortened(finding.where), row);
        AddCell(Shortened(finding.text), row);
      }
    }
    if (rows > kMaxStudentFindings) {
      proto::Row& row = *table.add_row();
      AddCell(student.name, row);
      AddCell(absl::StrCat("and ", rows - kMaxStudentFindings, " more"), row);
      AddCell("", row);
      AddCell("report --check names them all", row);
    }
  }
  if (table.row_size() == 0) {
    table.set_absent_reason("no rule is broken");
  }
  return table;
}

std::string SummaryText(const std::vector<ClassStudent>& students) {
  const auto count = [&](auto is) { return std::count_if(students.begin(), students.end(), is); };
  size_t copies = 0;
  for (const ClassStudent& student : students) {
    copies += student.copy_count;
  }
  return absl::StrCat(
      students.size(), " students: ", count([](const ClassStudent& s) { return !FailedRules(s.findings).empty(); }),
      " with broken rules, ", copies, copies == 1 ? " copy (" : " copies (",
      count([](const ClassStudent& s) { return !s.copies.empty(); }), " students share numbers), ",
      count([](const ClassStudent& s) { return !s.outliers.empty(); }), " far from the class, ",
      count([](const ClassStudent& s) { return !s.unreadable.empty(); }), " with files that cannot be read, ",
      count(HasNothing), " with nothing to check; ", count(IsClean), " without any of these");
}

}  // namespace

std::vector<proto::Section> ClassSections(const std::vector<ClassStudent>& students,
                                          const std::vector<std::string>& loose_files) {
  proto::Section section;
  section.set_id("class");
  section.set_title("The class");
  section.add_paragraph(absl::StrCat(SummaryText(students), "."));
  section.add_paragraph(
      "Numbers that two students share in all digits were measured once. This page does not show who measured them.");
  if (!loose_files.empty()) {
    section.add_paragraph(absl::StrCat(
        "Files in the class' folder itself, which belong to no student and were not checked: ", Lines(loose_files),
        "."));
  }
  *section.add_table() = StudentsTable(students);
  *section.add_table() = FindingsTable(students);
  std::set<std::string> broken;
  for (const ClassStudent& student : students) {
    for (const std::string& rule : FailedRules(student.findings)) {
      broken.insert(rule);
    }
  }
  for (const CheckRule& rule : CheckRules()) {
    if (broken.count(rule.name) > 0) {
      proto::Term& term = *section.add_term();
      term.set_name(rule.name);
      term.set_meaning(rule.explanation);
    }
  }
  MakeTextReadable(section);
  return {section};
}

absl::Status RunClass(const std::string& folder, const std::string& output, Force force) {
  if (output != "-" && !absl::EndsWith(output, ".html")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--output=", output, ": the page of --class_folder is HTML; expected NAME.html, or '-' for standard output"));
  }
  RETURN_IF_ERROR(DeclareRunFiles({{folder}, {{"--output", output, ""}}}));
  ASSIGN_OR_RETURN(const std::unique_ptr<ClassFiles> class_files, ClassFiles::Open(folder));
  ASSIGN_OR_RETURN(const std::vector<ClassStudent> students, CheckClass(*class_files));
  const std::vector<proto::Section> sections = ClassSections(students, class_files->loose_files());
  RETURN_IF_ERROR(WriteWholeFile(output,
                                 absl::StrCat("<!-- ", kClassMark, " -->\n", RenderHtml("A class", sections, {})),
                                 ReplaceIfForced(force, ReplaceMarked(kClassMark))));
  LogLine(absl::StrCat("report: ", SummaryText(students)));
  return absl::OkStatus();
}

}  // namespace lockstep
