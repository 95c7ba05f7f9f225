#include "lib/checks/student_details.h"

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "lib/base/shell_word.h"
#include "lib/checks/class_text.h"
#include "lib/checks/class_verdict.h"
#include "lib/checks/rules.h"
#include "lib/published/published_tables.h"

namespace lockstep {
namespace {

constexpr size_t kMaxRows = 20;           // rows of one kind
constexpr size_t kMaxWrongNumbers = 500;  // rows of numbers that break a rule that fails
constexpr size_t kMaxCommandBytes = 400;  // length of one command

// Appends at most `max` rows of one kind, and a row with the number of the others.
class LimitedRows {
 public:
  LimitedRows(size_t max, absl::string_view more, proto::Table& table) : max_(max), more_(more), table_(table) {}
  ~LimitedRows() {
    if (rows_ > max_) {
      AddTextRow({absl::StrCat("and ", rows_ - max_, " more"), "", more_}, table_);
    }
  }
  LimitedRows(const LimitedRows&) = delete;
  LimitedRows& operator=(const LimitedRows&) = delete;

  void Add(const std::string& kind, const std::string& where, const std::string& text) {
    if (++rows_ <= max_) {
      AddTextRow({kind, Shortened(where), Shortened(text)}, table_);
    }
  }

 private:
  const size_t max_;
  const std::string more_;
  proto::Table& table_;
  size_t rows_ = 0;
};

enum class Fails { kNo, kYes };

// Adds a row for each number that breaks a rule that fails, or for each place of a remark.
void AddFindings(const ClassStudent& student, Fails fails, proto::Table& table) {
  const bool is_failure = fails == Fails::kYes;
  LimitedRows rows(is_failure ? kMaxWrongNumbers : kMaxRows, "report --check names them all", table);
  for (const CheckFinding& finding : student.findings) {
    const CheckRule* const rule = FindCheckRule(finding.rule);
    if (rule == nullptr || rule->fails != is_failure) {
      continue;
    }
    if (!is_failure) {
      rows.Add(absl::StrCat(finding.rule, " (remark)"), finding.where, FindingText(finding));
      continue;
    }
    rows.Add(finding.rule, finding.where, finding.text);
    for (const std::string& other : finding.others) {
      rows.Add(finding.rule, finding.where, other);
    }
  }
}

void AddUnread(const std::vector<UnreadFile>& files, const std::string& kind, proto::Table& table) {
  LimitedRows rows(kMaxRows, "", table);
  for (const UnreadFile& file : files) {
    rows.Add(kind, file.name.empty() ? "the folder" : file.name, UnreadText(file));
  }
}

// Adds a command with these files of the student, or the reason why there is no such command.
void AddCommand(const std::string& kind, const std::string& start, const std::vector<std::string>& files,
                const std::string& end, proto::Table& table) {
  if (files.empty()) {
    return;
  }
  const std::string command = absl::StrCat(start, absl::StrJoin(files, ""), end);
  AddTextRow({kind, "", command.size() <= kMaxCommandBytes ? command : "its files are too many for one line"}, table);
}

void AddCommands(const std::string& class_folder, const ClassStudent& student, proto::Table& table) {
  std::vector<std::string> all, records;
  for (const std::string& file : student.files) {
    all.push_back(absl::StrCat(" ", ShellWord(absl::StrCat(class_folder, "/", student.name, "/", file))));
    if (!IsPublishedTable(file)) {
      records.push_back(all.back());
    }
  }
  AddCommand("check alone", "report --check", all, "", table);
  AddCommand("page alone", "report --style=lab", records,
             absl::StrCat(" --output=", ShellWord(absl::StrCat(student.name, ".html"))), table);
}

}  // namespace

proto::Table StudentDetails(const std::string& id, const std::string& class_folder, const ClassStudent& student) {
  proto::Table table = TextTable(id, absl::StrCat(Shortened(student.name), ": ", VerdictName(VerdictOf(student))),
                                 {"what", "where", "text"});
  AddFindings(student, Fails::kYes, table);
  for (const std::string& copy : student.copies) {
    AddTextRow({absl::StrCat("copy, group ", student.copy_group), "", Shortened(copy)}, table);
  }
  for (const std::string& line : student.mostly_equal) {
    AddTextRow({"mostly equal", "", Shortened(line)}, table);
  }
  AddUnread(student.unreadable, "cannot be read", table);
  AddUnread(student.partly_read, "not judged", table);
  AddUnread(student.left_out, "left out", table);
  if (HasNothing(student)) {
    AddTextRow({"nothing to check", "", Shortened(ReasonsOf(student).back())}, table);
  }
  for (const std::string& outlier : student.outliers) {
    AddTextRow({"far from the class", "", Shortened(outlier)}, table);
  }
  AddFindings(student, Fails::kNo, table);
  if (!student.answered.empty()) {
    AddTextRow({"answered", "", absl::StrJoin(student.answered, ", ")}, table);
  }
  for (size_t i = 0; i < student.partly.size(); ++i) {
    AddTextRow({"partly answered", student.partly[i],
                i < student.partly_reasons.size() ? Shortened(student.partly_reasons[i]) : ""},
               table);
  }
  AddCommands(class_folder, student, table);
  return table;
}

}  // namespace lockstep
