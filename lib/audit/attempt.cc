#include "lib/audit/attempt.h"

#include <cmath>
#include <optional>
#include <utility>

#include "lib/audit/formula_numbers.h"

namespace lockstep {
namespace {

Attempt MakeAttempt(const Convention& convention, const Recomputed& recomputed, const TablePlace& place,
                    double images) {
  Attempt attempt;
  attempt.convention = convention.text;
  attempt.formula = WithNumbers(convention.text, recomputed.inputs, place, images);
  attempt.departures = convention.departures;
  attempt.flags = convention.flags;
  attempt.flags.insert(attempt.flags.end(), recomputed.flags.begin(), recomputed.flags.end());
  for (const Cell* input : recomputed.inputs) {
    attempt.inputs.push_back({input->table, input->value, input->Exact(), input->Slack()});
  }
  attempt.value = recomputed.exact;
  attempt.from_printed = recomputed.from_printed;
  attempt.slack = std::abs(recomputed.slack);
  return attempt;
}

}  // namespace

std::vector<Attempt> AttemptsOn(const JudgedColumn& column, const Cell& cell) {
  const TablePlace place = {cell.value->devices(), cell.value->batch()};
  std::vector<Attempt> attempts;
  for (const Convention& convention : column.conventions) {
    const std::optional<Recomputed> recomputed = convention.evaluate(place);
    if (recomputed.has_value() && std::isfinite(recomputed->exact)) {
      attempts.push_back(MakeAttempt(convention, *recomputed, place, column.document.ImagesPerEpoch()));
    }
  }
  return attempts;
}

bool GivesDigits(const Attempt& attempt, const PrintedNumber& printed) {
  return RoundsTo(attempt.value, printed) || RoundsTo(attempt.from_printed, printed) ||
         TruncatesTo(attempt.value, printed) || TruncatesTo(attempt.from_printed, printed);
}

}  // namespace lockstep
