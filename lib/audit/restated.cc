#include "lib/audit/restated.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/flags.h"
#include "lib/audit/verdict.h"
#include "lib/published/printed_value.h"

namespace lockstep {
namespace {

// Returns `other` in the unit of `cell` if `cell` may repeat it; nothing if the two are of different kinds.
std::optional<double> AsRepeatedBy(const Cell& cell, const Cell& other) {
  const proto::PublishedValue &a = *cell.value, &b = *other.value;
  if (&cell == &other || b.restated() || a.devices() != b.devices() || a.batch() != b.batch() ||
      a.epoch() != b.epoch() || a.base_devices() != b.base_devices() || a.base_batch() != b.base_batch()) {
    return std::nullopt;
  }
  if (a.quantity() == b.quantity()) {
    return other.printed.value;
  }
  if (a.quantity() == proto::ACCURACY_PERCENT && b.quantity() == proto::ACCURACY_FRACTION) {
    return other.printed.value * 100;
  }
  return std::nullopt;
}

}  // namespace

void JudgeRestated(const Document& document, Cell& cell, proto::AuditedValue& audited) {
  const Cell* nearest = nullptr;
  double nearest_value = 0;
  bool rounds = false, truncates = false;
  for (const Cell* at_this_place : document.CellsAt(cell.value->devices(), cell.value->batch())) {
    const Cell& other = *at_this_place;
    const std::optional<double> value = AsRepeatedBy(cell, other);
    if (!value.has_value()) {
      continue;
    }
    const bool other_rounds = RoundsTo(*value, cell.printed);
    const bool closer =
        nearest == nullptr || std::abs(*value - cell.printed.value) < std::abs(nearest_value - cell.printed.value);
    if ((other_rounds && !rounds) || (closer && other_rounds == rounds)) {
      nearest = &other;
      nearest_value = *value;
      rounds = other_rounds;
      truncates = !rounds && TruncatesTo(*value, cell.printed);
    }
  }
  if (nearest == nullptr) {
    audited.set_finding(proto::NOT_REPRODUCIBLE);
    audited.set_sentence("The document says that this repeats one of its numbers, but has no number of this kind.");
    return;
  }
  proto::Candidate candidate;
  candidate.set_convention(absl::StrCat("as printed in ", document.TableName(*nearest)));
  candidate.set_value(nearest_value);
  candidate.set_ratio(Ratio(cell.printed.value, nearest_value));
  if (rounds || truncates) {
    audited.set_finding(proto::REPRODUCED);
    audited.set_sentence(
        absl::StrCat("Repeats ", PrintedText(*nearest->value), " of ", document.TableName(*nearest), "."));
    *audited.add_reproduced_by() = std::move(candidate);
    cell.repeats = nearest;
    if (truncates) {
      Remark(audited, kTruncatedDigits, absl::StrCat(FlagMeaning(kTruncatedDigits), "."));
    }
    return;
  }
  audited.set_finding(proto::NOT_REPRODUCIBLE);
  audited.set_sentence(absl::StrCat("No table prints ", PrintedText(*cell.value), "."));
  *audited.mutable_nearest() = std::move(candidate);
  cell.contradiction = absl::StrCat(document.TableName(*nearest), " prints ", PrintedText(*nearest->value));
  Remark(audited, kInconsistentPrinting, absl::StrCat(cell.contradiction, " for the same quantity."));
}

}  // namespace lockstep
