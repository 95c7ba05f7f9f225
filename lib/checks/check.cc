#include "lib/checks/check.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/print_text.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/checks/junit.h"
#include "lib/checks/record_rules.h"
#include "lib/checks/table_rules.h"
#include "lib/lab_records/lab_records.h"
#include "lib/published/published_tables.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

void Append(std::vector<CheckFinding> more, std::vector<CheckFinding>& findings) {
  std::move(more.begin(), more.end(), std::back_inserter(findings));
}

bool IsBroken(const CheckRule& rule, const std::vector<CheckFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const CheckFinding& finding) { return finding.rule == rule.name; });
}

std::string LineOf(absl::string_view kind, const CheckFinding& finding, absl::string_view text) {
  return absl::StrCat(kind, finding.rule, ": ", ReadableLine(absl::StrCat(finding.where, ": ", text)), "\n");
}

// Returns a line for each number that breaks the rule.
std::string FailureLines(const CheckFinding& finding) {
  std::string lines = LineOf("FAILED ", finding, finding.text);
  for (const std::string& other : finding.others) {
    lines += LineOf("FAILED ", finding, other);
  }
  return lines;
}

}  // namespace

absl::StatusOr<CheckedFiles> CheckFiles(const std::vector<std::string>& paths, const TableFiles& tables) {
  CheckedFiles checked;
  std::vector<std::string> records;
  for (const std::string& path : paths) {
    if (!IsPublishedTable(path)) {
      records.push_back(path);
      continue;
    }
    ASSIGN_OR_RETURN(const proto::PublishedTables file, tables.Read(path));
    ASSIGN_OR_RETURN(std::vector<CheckFinding> findings, CheckTables(FileNameOf(path), file));
    Append(std::move(findings), checked.findings);
    checked.tables_read.push_back(absl::StrCat(FileNameOf(path), ": ", NumbersReadText(file)));
    checked.kinds.tables = true;
  }
  if (!records.empty() || paths.empty()) {
    ASSIGN_OR_RETURN(checked.lab, ReadLabRecords(records));
    Append(CheckRecords(checked.lab), checked.findings);
    checked.kinds.records = true;
  }
  return checked;
}

std::string NumbersReadText(const proto::PublishedTables& tables) {
  return absl::StrJoin(tables.table(), "; ", [](std::string* out, const proto::PublishedTable& table) {
    const auto runs =
        static_cast<uint64_t>(std::count_if(table.value().begin(), table.value().end(),
                                            [](const proto::PublishedValue& value) { return value.epoch() == 0; }));
    const auto numbers = static_cast<uint64_t>(table.value_size());
    absl::StrAppend(out, table.name(), ": ",
                    table.epochs_of_runs() ? absl::StrCat(CountOf(runs, "run"), ", ", CountOf(numbers, "epoch"))
                                           : CountOf(numbers, "number"));
  });
}

std::vector<std::string> FailedRules(const std::vector<CheckFinding>& findings) {
  std::vector<std::string> failed;
  for (const CheckRule& rule : CheckRules()) {
    if (rule.fails && IsBroken(rule, findings)) {
      failed.push_back(rule.name);
    }
  }
  return failed;
}

std::string CheckText(const std::vector<CheckFinding>& findings) {
  std::string text;
  for (const bool fails : {true, false}) {
    for (const CheckFinding& finding : findings) {
      const CheckRule* const rule = FindCheckRule(finding.rule);
      if ((rule == nullptr || rule->fails) == fails) {
        text += fails ? FailureLines(finding) : LineOf("remark ", finding, FindingText(finding));
      }
    }
  }
  for (const std::string& name : FailedRules(findings)) {
    absl::StrAppend(&text, name, ": ", FindCheckRule(name)->explanation, "\n");
  }
  return text;
}

absl::Status RunCheck(const CheckOptions& options) {
  RETURN_IF_ERROR(DeclareRunFiles({options.inputs, {{"--junit", options.junit, ""}}}));
  ASSIGN_OR_RETURN(const CheckedFiles checked, CheckFiles(options.inputs, options.tables));
  const std::string xml = JunitXml(checked.findings, checked.kinds);
  if (options.junit == "-") {
    RETURN_IF_ERROR(PrintToStdout(xml));
  } else {
    RETURN_IF_ERROR(PrintToStdout(CheckText(checked.findings)));
    if (!options.junit.empty()) {
      RETURN_IF_ERROR(
          WriteWholeFile(options.junit, xml, ReplaceIfForced(ToForce(options.force), ReplaceMarked(kJunitMark))));
    }
  }
  for (const std::string& read : checked.tables_read) {
    LogLine(absl::StrCat("report: read ", ReadableLine(read)));
  }
  const std::vector<std::string> failed = FailedRules(checked.findings);
  const auto looked_at = std::count_if(CheckRules().begin(), CheckRules().end(), [&](const CheckRule& rule) {
    return (rule.of_records && checked.kinds.records) || (rule.of_tables && checked.kinds.tables);
  });
  if (!failed.empty()) {
    return absl::AbortedError(absl::StrCat("--check: ", failed.size(), " of ", looked_at,
                                           " rules are broken: ", absl::StrJoin(failed, ", ")));
  }
  LogLine(absl::StrCat("report: ", looked_at, " rules checked, no rule is broken"));
  return absl::OkStatus();
}

}  // namespace lockstep
