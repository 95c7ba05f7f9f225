#include "lib/checks/class_page.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/checks/check.h"
#include "lib/checks/class_counts.h"
#include "lib/checks/class_files.h"
#include "lib/checks/class_grades.h"
#include "lib/checks/class_statistics.h"
#include "lib/checks/class_text.h"
#include "lib/checks/class_verdict.h"
#include "lib/checks/student_details.h"
#include "lib/page/html.h"
#include "lib/record/output_file.h"
#include "lib/record/readable_text.h"
#include "lib/record/run_files.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr char kClassMark[] = "made by Lockstep: report, class page";

constexpr size_t kNamed = 10;  // students and groups that are named in one line

// Returns "ada, ben and 3 more".
std::string NamesText(const std::vector<const ClassStudent*>& students) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(students.size(), kNamed); ++i) {
    names.push_back(Shortened(students[i]->name));
  }
  return absl::StrCat(absl::StrJoin(names, ", "),
                      students.size() > kNamed ? absl::StrCat(" and ", students.size() - kNamed, " more") : "");
}

// Returns "2: Q1 Q2; 1 partly: Q3", "0".
std::string AnsweredText(const ClassStudent& student) {
  const auto counted = [](const std::vector<std::string>& questions, absl::string_view state) {
    return absl::StrCat(questions.size(), state, questions.empty() ? "" : ": ", absl::StrJoin(questions, " "));
  };
  return absl::StrCat(counted(student.answered, ""),
                      student.partly.empty() ? "" : absl::StrCat("; ", counted(student.partly, " partly")));
}

proto::Table StudentsTable(const std::vector<const ClassStudent*>& students) {
  proto::Table table =
      TextTable("students", "Students, the most severe findings first",
                {"student", "verdict", "reason and remedy", "answered", "best speed-up", "fastest epoch", "files"});
  for (const ClassStudent* student : students) {
    AddTextRow({Shortened(student->name), VerdictName(VerdictOf(*student)), ShortenedLines(ReasonsOf(*student)),
                AnsweredText(*student),
                student->best_speedup.has_value()
                    ? absl::StrFormat("%.3g on %d", student->best_speedup->value, student->best_speedup->devices)
                    : "",
                student->fastest_epoch.has_value() ? absl::StrFormat("%.3g s", *student->fastest_epoch) : "",
                absl::StrCat(student->files.size())},
               table);
  }
  table.add_note("Best speed-up: of epochs in a record of comm_model; of a table as it is printed.");
  return table;
}

proto::Table CopiesTable(const std::vector<ClassStudent>& students) {
  proto::Table table = TextTable("copies", "Students who share numbers", {"group", "students", "number"});
  std::map<size_t, std::vector<const ClassStudent*>> groups;
  for (const ClassStudent& student : students) {
    if (student.copy_group > 0) {
      groups[student.copy_group].push_back(&student);
    }
  }
  for (const auto& [group, members] : groups) {
    AddTextRow({absl::StrCat("group ", group), NamesText(members), absl::StrCat(members.size())}, table);
  }
  if (groups.empty()) {
    table.set_absent_reason("no two students share numbers");
  }
  return table;
}

// Returns the card: how many students have each verdict, and their names. `counts` must be those of `ordered`.
proto::Section SummarySection(const ClassCounts& counts, const std::vector<const ClassStudent*>& ordered) {
  proto::Section section;
  section.set_id("summary");
  section.set_title(CountOf(counts.students, "student"));
  section.set_role(proto::CARD);
  for (const auto& [verdict, count] : counts.by_verdict) {
    std::vector<const ClassStudent*> members;
    for (const ClassStudent* student : ordered) {
      if (verdict == ClassVerdict::kCopy ? HasFinding(*student, verdict) : VerdictOf(*student) == verdict) {
        members.push_back(student);  // copies whatever the verdict
      }
    }
    proto::Claim& claim = *section.add_claim();
    claim.set_question(absl::StrCat(verdict == ClassVerdict::kCopy ? members.size() : count));
    claim.set_text(absl::StrCat(VerdictName(verdict), members.empty() ? "" : ": ", NamesText(members)));
    claim.set_link("students");
  }
  section.add_paragraph(absl::StrCat(CountsText(counts), "."));
  return section;
}

void AddRules(const std::vector<ClassStudent>& students, proto::Section& section) {
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
}

absl::Status CheckEnding(const std::string& flag, const std::string& path, const std::string& ending,
                         const std::string& what) {
  return path.empty() || path == "-" || absl::EndsWith(path, ending)
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(flag, "=", path, ": ", what, "; expected NAME", ending,
                                                       ", or '-' for standard output"));
}

}  // namespace

std::vector<proto::Section> ClassSections(const std::string& class_folder, const std::vector<ClassStudent>& students,
                                          const std::vector<std::string>& loose_files) {
  const std::vector<const ClassStudent*> ordered = BySeverity(students);
  std::vector<proto::Section> sections = {SummarySection(CountClass(students), ordered)};
  proto::Section& section = sections.emplace_back();
  section.set_id("class");
  section.set_title("The class");
  section.add_paragraph(
      "A student has the verdict of the most severe finding. Numbers that two students share in all digits were "
      "measured once. This page does not show who measured them.");
  if (std::any_of(students.begin(), students.end(), [](const ClassStudent& s) { return !s.mostly_equal.empty(); })) {
    section.add_paragraph(
        "Mostly equal: more measured numbers than by chance agree in all digits with another student's, at the same "
        "places, and few differ. This is a suspicion; the page does not show who changed what. If only two "
        "students measured the same, their clocks are assumed to differ by 2 %; on one machine repeats may lie closer, "
        "and honest numbers of three digits may be equal.");
  }
  if (!loose_files.empty()) {
    section.add_paragraph(
        absl::StrCat("Files in the class' folder itself, which belong to no student and were not checked: ",
                     ShortenedLines(loose_files), "."));
  }
  *section.add_table() = StudentsTable(ordered);
  *section.add_table() = CopiesTable(students);
  *section.add_table() = FiguresTable(students);
  *section.add_table() = AnsweredTable(students);
  AddRules(students, section);
  proto::Section& details = sections.emplace_back();
  details.set_id("each");
  details.set_title("Each student");
  details.set_role(proto::DETAIL);
  details.add_paragraph(
      "Open a student for the numbers that broke a rule and for the commands that check this student alone.");
  for (const ClassStudent* student : ordered) {
    *details.add_table() = StudentDetails(absl::StrCat("student-", details.table_size() + 1), class_folder, *student);
  }
  for (proto::Section& each : sections) {
    MakeTextReadable(each);
  }
  return sections;
}

absl::Status RunClass(const ClassOptions& options) {
  RETURN_IF_ERROR(CheckEnding("--output", options.output, ".html", "the page of --class_folder is HTML"));
  RETURN_IF_ERROR(CheckEnding("--class_grades", options.grades, ".csv", "the grades are CSV"));
  RETURN_IF_ERROR(
      DeclareRunFiles({{options.folder}, {{"--output", options.output, ""}, {"--class_grades", options.grades, ""}}}));
  ASSIGN_OR_RETURN(const std::unique_ptr<ClassFiles> class_files, ClassFiles::Open(options.folder));
  ASSIGN_OR_RETURN(const std::vector<ClassStudent> students, CheckClass(*class_files));
  const std::vector<proto::Section> sections = ClassSections(options.folder, students, class_files->loose_files());
  RETURN_IF_ERROR(WriteWholeFile(options.output,
                                 absl::StrCat("<!-- ", kClassMark, " -->\n", RenderHtml("A class", sections, {})),
                                 ReplaceIfForced(options.force, ReplaceMarked(kClassMark))));
  if (!options.grades.empty()) {
    RETURN_IF_ERROR(WriteWholeFile(options.grades, GradesCsv(students),
                                   ReplaceIfForced(options.force, ReplaceMarked(kGradesMark))));
  }
  LogLine(absl::StrCat("report: wrote ", options.output == "-" ? "standard output" : options.output,
                       options.grades.empty() ? "" : " and ", options.grades, ": ", CountsText(CountClass(students))));
  return absl::OkStatus();
}

}  // namespace lockstep
