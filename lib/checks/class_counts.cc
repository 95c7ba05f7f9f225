#include "lib/checks/class_counts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

std::string SharingText(const ClassCounts& counts) {
  return counts.sharing_students == 0
             ? "no students share numbers"
             : absl::StrCat(CountOf(counts.sharing_students, "student"), " in ", CountOf(counts.copy_groups, "group"),
                            " share numbers (", CountOf(counts.copied_files, "copied file"), ")");
}

// Returns "copy 4 (3 of them under a more severe verdict)".
std::string CopiesText(const ClassCounts& counts) {
  const size_t under = counts.sharing_students - counts.by_verdict.at(ClassVerdict::kCopy);
  return absl::StrCat(VerdictName(ClassVerdict::kCopy), " ", counts.sharing_students,
                      under > 0 ? absl::StrCat(" (", under, " of them under a more severe verdict)") : "");
}

}  // namespace

ClassCounts CountClass(const std::vector<ClassStudent>& students) {
  ClassCounts counts;
  counts.students = students.size();
  for (const ClassVerdict verdict : kClassVerdicts) {
    if (verdict != ClassVerdict::kMostlyEqual) {  // rare; the texts name it only if there is a student
      counts.by_verdict[verdict] = 0;
    }
  }
  for (const ClassStudent& student : students) {
    const ClassVerdict worst = VerdictOf(student);
    ++counts.by_verdict[worst];
    for (const ClassVerdict finding : kClassVerdicts) {
      if (finding > worst && finding != ClassVerdict::kFine && HasFinding(student, finding)) {
        ++counts.next_to_worse[finding];
      }
    }
    counts.without_files += HasNothing(student) ? 1 : 0;
    counts.sharing_students += student.copies.empty() ? 0 : 1;
    counts.copy_groups = std::max(counts.copy_groups, student.copy_group);
    counts.copied_files += student.copy_count;
  }
  return counts;
}

std::string CountsText(const ClassCounts& counts) {
  const auto append = [](std::string* out, const std::pair<const ClassVerdict, size_t>& count) {
    absl::StrAppend(out, VerdictName(count.first), " ", count.second);
  };
  std::vector<std::string> verdicts;
  std::map<ClassVerdict, size_t> next_to_worse = counts.next_to_worse;
  next_to_worse.erase(ClassVerdict::kCopy);  // counted among the verdicts
  for (const auto& [verdict, count] : counts.by_verdict) {
    if (verdict == ClassVerdict::kCopy) {
      verdicts.push_back(CopiesText(counts));
      continue;
    }
    const bool some_empty = verdict == ClassVerdict::kUnreadable && counts.without_files > 0;
    verdicts.push_back(
        absl::StrCat(VerdictName(verdict), " ", count,
                     some_empty ? absl::StrCat(" (", counts.without_files, " without a record or table)") : ""));
  }
  return absl::StrCat(
      CountOf(counts.students, "student"), ": ", absl::StrJoin(verdicts, ", "), "; ", SharingText(counts),
      next_to_worse.empty()
          ? ""
          : absl::StrCat("; next to a more severe finding: ", absl::StrJoin(next_to_worse, ", ", append)));
}

}  // namespace lockstep
