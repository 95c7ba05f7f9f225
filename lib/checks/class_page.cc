#include "lib/checks/class_page.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/record/output_file.h"
#include "lib/record/readable_text.h"
#include "lib/record/run_files.h"
#include "lib/report/html.h"

namespace lockstep {
namespace {

constexpr char kClassMark[] = "made by Lockstep: report, class page";

void AddCell(const std::string& text, proto::Row& row) { row.add_cell()->set_text(text.empty() ? "-" : text); }

std::string FindingsText(const ClassStudent& student) {
  if (!student.unreadable.empty()) {
    return absl::StrCat("cannot be read: ", student.unreadable);
  }
  return absl::StrJoin(FailedRules(student.findings), ", ");
}

bool IsClean(const ClassStudent& student) {
  return FindingsText(student).empty() && student.copies.empty() && student.outliers.empty();
}

proto::Table StudentsTable(const std::vector<ClassStudent>& students) {
  proto::Table table;
  table.set_id("students");
  table.set_caption("Students");
  for (const char* column : {"student", "files", "broken rules", "copies", "far from the class"}) {
    table.add_column(column);
  }
  for (const ClassStudent& student : students) {
    proto::Row& row = *table.add_row();
    AddCell(student.name, row);
    AddCell(absl::StrCat(student.files.size()), row);
    AddCell(FindingsText(student), row);
    AddCell(absl::StrJoin(student.copies, "; "), row);
    AddCell(absl::StrJoin(student.outliers, "; "), row);
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
    for (const CheckFinding& finding : student.findings) {
      const CheckRule* const rule = FindCheckRule(finding.rule);
      if (rule != nullptr && rule->fails) {
        proto::Row& row = *table.add_row();
        AddCell(student.name, row);
        AddCell(finding.rule, row);
        AddCell(finding.where, row);
        AddCell(finding.text, row);
      }
    }
  }
  if (table.row_size() == 0) {
    table.set_absent_reason("no rule is broken");
  }
  return table;
}

std::string SummaryText(const std::vector<ClassStudent>& students) {
  const auto count = [&](auto is) { return std::count_if(students.begin(), students.end(), is); };
  return absl::StrCat(
      students.size(), " students: ", count([](const ClassStudent& s) { return !FailedRules(s.findings).empty(); }),
      " with broken rules, ", count([](const ClassStudent& s) { return !s.copies.empty(); }),
      " with numbers that another one has, too, ", count([](const ClassStudent& s) { return !s.outliers.empty(); }),
      " far from the class, ", count([](const ClassStudent& s) { return !s.unreadable.empty(); }),
      " that cannot be read; ", count(IsClean), " without any of these");
}

}  // namespace

std::vector<proto::Section> ClassSections(const std::vector<ClassStudent>& students) {
  proto::Section section;
  section.set_id("class");
  section.set_title("The class");
  section.add_paragraph(absl::StrCat(SummaryText(students), "."));
  section.add_paragraph(
      "Numbers that two students have in all digits were measured once. Who of them measured is not said here.");
  *section.add_table() = StudentsTable(students);
  *section.add_table() = FindingsTable(students);
  for (const CheckRule& rule : CheckRules()) {
    const bool broken = std::any_of(students.begin(), students.end(), [&](const ClassStudent& student) {
      const std::vector<std::string> failed = FailedRules(student.findings);
      return std::find(failed.begin(), failed.end(), rule.name) != failed.end();
    });
    if (broken) {
      proto::Term& term = *section.add_term();
      term.set_name(rule.name);
      term.set_meaning(rule.explanation);
    }
  }
  MakeTextReadable(section);
  return {section};
}

absl::Status RunClass(const std::string& folder, const std::string& output, bool force) {
  ASSIGN_OR_RETURN(std::vector<ClassStudent> students, ListClass(folder));
  RunFiles files = {{}, {{"--output", output, ""}}};
  for (const ClassStudent& student : students) {
    files.inputs.insert(files.inputs.end(), student.files.begin(), student.files.end());
  }
  RETURN_IF_ERROR(DeclareRunFiles(files));
  CheckClass(students);
  RETURN_IF_ERROR(WriteWholeFile(
      output, absl::StrCat("<!-- ", kClassMark, " -->\n", RenderHtml("A class", ClassSections(students), {})),
      ReplaceIfForced(force, ReplaceMarked(kClassMark))));
  LogLine(absl::StrCat("report: ", SummaryText(students)));
  return absl::OkStatus();
}

}  // namespace lockstep
