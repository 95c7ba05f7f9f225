#include "lib/checks/class_verdict.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/checks/check.h"
#include "lib/checks/class_text.h"

namespace lockstep {
namespace {

std::string NothingText(const ClassStudent& student) {
  const size_t unnamed = student.other_file_count - student.other_files.size();
  const std::string found =
      !student.other_files.empty()
          ? absl::StrCat("neither a record nor a table is in it, but ", absl::StrJoin(student.other_files, ", "),
                         unnamed > 0 ? absl::StrCat(" and ", unnamed, " more") : "")
      : student.left_out.empty() ? "no file is in it"
                                 : "no other file is in it";
  return absl::StrCat(found, "; ask for records (*.rec) or a table (*.csv, *.md, *.tex)");
}

}  // namespace

const char* VerdictName(ClassVerdict verdict) {
  switch (verdict) {
    case ClassVerdict::kBrokenRules:
      return "broken rules";
    case ClassVerdict::kCopy:
      return "copy";
    case ClassVerdict::kMostlyEqual:
      return "mostly equal";
    case ClassVerdict::kUnreadable:
      return "cannot be read";
    case ClassVerdict::kOutlier:
      return "far from the class";
    case ClassVerdict::kFine:
      break;
  }
  return "fine";
}

bool HasNothing(const ClassStudent& student) { return student.files.empty() && student.unreadable.empty(); }

bool HasFinding(const ClassStudent& student, ClassVerdict finding) {
  switch (finding) {
    case ClassVerdict::kBrokenRules:
      return !FailedRules(student.findings).empty();
    case ClassVerdict::kCopy:
      return !student.copies.empty();
    case ClassVerdict::kMostlyEqual:
      return !student.mostly_equal.empty();
    case ClassVerdict::kUnreadable:
      return !student.unreadable.empty() || HasNothing(student);
    case ClassVerdict::kOutlier:
      return !student.outliers.empty();
    case ClassVerdict::kFine:
      break;
  }
  return true;
}

ClassVerdict VerdictOf(const ClassStudent& student) {
  return *std::find_if(std::begin(kClassVerdicts), std::end(kClassVerdicts),
                       [&](ClassVerdict verdict) { return HasFinding(student, verdict); });
}

std::vector<const ClassStudent*> BySeverity(const std::vector<ClassStudent>& students) {
  struct Place {
    ClassVerdict verdict;
    size_t kept;  // number of rules that are not broken
    const ClassStudent* student;
  };
  std::vector<Place> places;
  for (const ClassStudent& student : students) {
    places.push_back({VerdictOf(student), CheckRules().size() - FailedRules(student.findings).size(), &student});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.verdict != b.verdict ? a.verdict < b.verdict : a.kept < b.kept;
  });
  std::vector<const ClassStudent*> ordered;
  for (const Place& place : places) {
    ordered.push_back(place.student);
  }
  return ordered;
}

std::vector<std::string> UnreadTexts(const ClassStudent& student) {
  std::vector<std::string> texts;
  for (const UnreadFile& file : student.unreadable) {
    texts.push_back(UnreadText(file));
  }
  if (HasNothing(student)) {
    for (const UnreadFile& file : student.left_out) {
      texts.push_back(UnreadText(file));
    }
    texts.push_back(NothingText(student));
  }
  return texts;
}

std::vector<std::string> ReasonsOf(const ClassStudent& student) {
  std::vector<std::string> reasons;
  if (const std::vector<std::string> rules = FailedRules(student.findings); !rules.empty()) {
    reasons.push_back(
        absl::StrCat(absl::StrJoin(rules, ", "),
                     student.wrong_numbers > 1
                         ? absl::StrCat(" (", student.wrong_numbers, " printed numbers, listed under \"Each student\")")
                         : ""));
  }
  for (const std::string& copy : student.copies) {
    reasons.push_back(absl::StrCat("group ", student.copy_group, ": ", copy));
  }
  reasons.insert(reasons.end(), student.mostly_equal.begin(), student.mostly_equal.end());
  const std::vector<std::string> unread = UnreadTexts(student);
  reasons.insert(reasons.end(), unread.begin(), unread.end());
  reasons.insert(reasons.end(), student.outliers.begin(), student.outliers.end());
  for (const CheckFinding& finding : student.findings) {
    if (finding.rule == "speedup_above_ranks") {
      reasons.push_back(absl::StrCat("remark ", finding.rule, ": ", FindingText(finding)));
    }
  }
  for (const UnreadFile& file : student.partly_read) {
    reasons.push_back(absl::StrCat("not judged in ", UnreadText(file)));
  }
  return reasons;
}

}  // namespace lockstep
