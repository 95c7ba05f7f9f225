#include "lib/checks/class_grades.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/csv_cell.h"
#include "lib/checks/check.h"
#include "lib/checks/class_text.h"
#include "lib/checks/class_verdict.h"
#include "lib/checks/rules.h"

namespace lockstep {
namespace {

std::string Number(double value) { return absl::StrFormat("%.6g", value); }

std::string Line(const ClassStudent& student) {
  const size_t failures = static_cast<size_t>(absl::c_count_if(student.findings, [](const CheckFinding& finding) {
    const CheckRule* const rule = FindCheckRule(finding.rule);
    return rule != nullptr && rule->fails;
  }));
  const bool has_speedup = student.best_speedup.has_value();
  return absl::StrJoin(std::vector<std::string>{CsvText(student.name),
                                                VerdictName(VerdictOf(student)),
                                                absl::StrCat(failures),
                                                CsvText(absl::StrJoin(FailedRules(student.findings), " ")),
                                                absl::StrCat(student.findings.size() - failures),
                                                absl::StrCat(student.answered.size()),
                                                CsvText(absl::StrJoin(student.answered, " ")),
                                                student.copy_group == 0 ? "" : absl::StrCat(student.copy_group),
                                                CsvText(ShortenedLines(student.copies)),
                                                CsvText(ShortenedLines(student.outliers)),
                                                CsvText(ShortenedLines(UnreadTexts(student))),
                                                absl::StrCat(student.files.size()),
                                                has_speedup ? Number(student.best_speedup->value) : "",
                                                has_speedup ? absl::StrCat(student.best_speedup->devices) : "",
                                                student.fastest_epoch.has_value() ? Number(*student.fastest_epoch) : "",
                                                CsvText(ShortenedLines(student.mostly_equal)),
                                                CsvText(absl::StrJoin(student.partly, " ")),
                                                absl::StrCat(student.wrong_numbers),
                                                absl::StrCat(student.speedups_above_devices),
                                                CsvText(student.no_speedup_reason)},
                       ",");
}

}  // namespace

std::string GradesCsv(const std::vector<ClassStudent>& students) {
  std::string csv = absl::StrCat(kGradesColumns, "\r\n");
  for (const ClassStudent& student : students) {
    absl::StrAppend(&csv, Line(student), "\r\n");
  }
  return csv;
}

}  // namespace lockstep
