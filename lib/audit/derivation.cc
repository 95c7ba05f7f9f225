#include "lib/audit/derivation.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/audit/attempt.h"
#include "lib/audit/conventions.h"
#include "lib/audit/observed_audit.h"
#include "lib/audit/verdict.h"
#include "lib/base/status_macros.h"
#include "lib/published/printed_value.h"

namespace lockstep {
namespace {

std::string Short(double value) { return absl::StrFormat("%.6g", value); }

// Returns "3.925 to 3.935".
std::string RangeText(double value, double slack) {
  return absl::StrCat(Digits(value - slack), " to ", Digits(value + slack));
}

// Returns the index of a number of table `table`.
NumberIndex IndexOf(const proto::PublishedTables& tables, int table, const proto::PublishedValue* value) {
  int i = 0;
  while (&tables.table(table).value(i) != value) {
    ++i;
  }
  return {table, i};
}

std::string InputText(const PublishedFile& file, const AttemptInput& input) {
  const PrintedNumber printed = *PrintedNumberOf(*input.value);
  const std::string longer = input.used == printed.value ? ""
                                                         : absl::StrCat(input.value->quantity() == proto::RUN_SECONDS
                                                                            ? "; of an epoch: "
                                                                            : "; used with more digits: ",
                                                                        Digits(input.used));
  return absl::StrCat(PrintedText(*input.value), " (", RangeText(printed.value, 0.5 * printed.unit),
                      input.value->unit_seconds() > 0 ? " s" : "", ")  ", NumberName(*input.value), ", ",
                      file.tables.table(input.table).name(), ", ",
                      NumberLocation(file, IndexOf(file.tables, input.table, input.value)), longer);
}

// Returns how far the value is from the printed digits.
std::string DistanceText(const Attempt& attempt, const PrintedNumber& printed, const std::string& digits) {
  if (GivesDigits(attempt, printed)) {
    return absl::StrCat("gives ", digits);
  }
  const double missed = std::abs(attempt.value - printed.value) - 0.5 * printed.unit;
  const double percent = 100 * (attempt.value / printed.value - 1);
  const std::string ratio = printed.value == 0 ? "" : absl::StrFormat(", %+.3g %%", percent);
  return absl::StrCat(RoundsWithin(attempt.value, attempt.slack, printed)
                          ? absl::StrCat("gives ", digits, " within the rounding of the inputs")
                          : absl::StrCat("misses ", digits, " by ", absl::StrFormat("%.3g", missed), ratio));
}

void AppendLine(const char* name, const std::string& text, std::string& all) {
  absl::StrAppendFormat(&all, "  %-11s %s\n", name, text);
}

// Returns the attempt that the audit names: the longest text with which `candidate` begins. Null: no attempt.
const Attempt* AttemptOf(const proto::Candidate& candidate, const std::vector<Attempt>& attempts) {
  const Attempt* named = nullptr;
  for (const Attempt& attempt : attempts) {
    if (absl::StartsWith(candidate.convention(), attempt.convention) &&
        (named == nullptr || named->convention.size() < attempt.convention.size())) {
      named = &attempt;
    }
  }
  return named;
}

void AppendAttempt(const PublishedFile& file, const Attempt& attempt, const proto::Candidate& candidate,
                   const std::string& digits, std::string& text) {
  const PrintedNumber printed = *ParsePrintedNumber(digits);
  AppendLine("convention", candidate.convention(), text);
  for (size_t i = 0; i < attempt.inputs.size(); ++i) {
    AppendLine(i == 0 ? "inputs" : "", InputText(file, attempt.inputs[i]), text);
  }
  AppendLine("formula", attempt.formula, text);
  const std::string rounded = attempt.from_printed == attempt.value
                                  ? ""
                                  : absl::StrCat("; ", Digits(attempt.from_printed), " from intermediates as printed");
  AppendLine("result",
             absl::StrCat(Digits(attempt.value), rounded,
                          attempt.slack == 0 ? ""
                                             : absl::StrCat("; ", RangeText(attempt.value, attempt.slack),
                                                            " with the rounding of the inputs")),
             text);
  AppendLine("distance", DistanceText(attempt, printed, digits), text);
}

// Appends up to kOtherConventions attempts that give the digits (or do not) and whose value has not been listed. Of the
// attempts that do not give the digits, the nearest come first, and formulas of kLateDepartures after all others.
void AppendOthers(const char* name, bool give, std::vector<const Attempt*> attempts, const proto::PublishedValue& value,
                  std::vector<std::string>& listed, std::string& text) {
  const PrintedNumber printed = *PrintedNumberOf(value);
  if (!give) {
    std::stable_sort(attempts.begin(), attempts.end(), [&](const Attempt* a, const Attempt* b) {
      return std::make_pair(a->departures >= kLateDepartures, std::abs(a->value - printed.value)) <
             std::make_pair(b->departures >= kLateDepartures, std::abs(b->value - printed.value));
    });
  }
  size_t count = 0;
  for (const Attempt* attempt : attempts) {
    const std::string digits = Digits(attempt->value);
    if (GivesDigits(*attempt, printed) != give || count == kOtherConventions ||
        std::find(listed.begin(), listed.end(), digits) != listed.end()) {
      continue;
    }
    listed.push_back(digits);
    const std::string flags =
        attempt->flags.empty() ? "" : absl::StrCat(" [", absl::StrJoin(attempt->flags, ", "), "]");
    AppendLine(count++ == 0 ? name : "",
               absl::StrCat(attempt->convention, ": ", Short(attempt->value),
                            give ? "" : absl::StrCat(", ", DistanceText(*attempt, printed, PrintedText(value))), flags),
               text);
  }
}

}  // namespace

absl::StatusOr<std::string> DerivationOf(const PublishedFile& file, const NumberIndex& number) {
  const proto::PublishedTable& table = file.tables.table(number.table);
  const proto::PublishedValue& value = table.value(number.value);
  std::vector<Attempt> attempts;
  AuditBudget budget;
  ASSIGN_OR_RETURN(const std::vector<proto::AuditTable> tables,
                   AuditObserved(file.tables, budget, [&](const JudgedColumn& column) {
                     for (const Cell* cell : column.cells) {
                       if (cell->value == &value) {
                         attempts = AttemptsOn(column, *cell);
                       }
                     }
                   }));
  const proto::AuditedValue& audited = tables[number.table].value(number.value);
  const PrintedNumber printed = *PrintedNumberOf(value);
  std::string text = absl::StrCat("\nDerivation of ", PrintedText(value), ": ", NumberName(value), ", ", table.name(),
                                  ", ", NumberLocation(file, number), "\n");
  AppendLine("finding", proto::Finding_Name(audited.finding()), text);
  AppendLine("printed",
             absl::StrCat(PrintedText(value), ", which stands for ", RangeText(printed.value, 0.5 * printed.unit)),
             text);
  const proto::Candidate& candidate = audited.reproduced_by_size() > 0 ? audited.reproduced_by(0) : audited.nearest();
  std::vector<std::string> listed;
  if (const Attempt* named = AttemptOf(candidate, attempts); named != nullptr) {
    AppendAttempt(file, *named, candidate, PrintedText(value), text);
    listed.push_back(Digits(named->value));
  }
  std::vector<const Attempt*> all;
  for (const Attempt& attempt : attempts) {
    all.push_back(&attempt);
  }
  AppendOthers("also gives", true, all, value, listed, text);
  AppendOthers("failed", false, all, value, listed, text);
  AppendLine("verdict", audited.sentence(), text);
  return text;
}

}  // namespace lockstep
