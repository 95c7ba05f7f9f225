// Numbers beyond what the devices can give: speed-ups above N, efficiencies above 100 %, shares above the whole.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/audit/flags.h"
#include "lib/audit/plausibility.h"
#include "lib/audit/quantity_kinds.h"
#include "lib/audit/verdict.h"
#include "lib/published/printed_value.h"
#include "lib/published/published_unit.h"

namespace lockstep {
namespace {

// Largest plausible value, the flag of a larger one, and the end of a sentence.
struct Limit {
  double value;
  const char* flag;
  std::string words;
};

std::optional<Limit> LimitOf(const proto::PublishedValue& value) {
  const std::string cause = "; larger caches, or a base case that differs in more than its devices, can be the cause.";
  switch (value.quantity()) {
    case proto::SPEEDUP:
    case proto::AMDAHL_SPEEDUP:
    case proto::GUSTAFSON_SPEEDUP:
      return Limit{static_cast<double>(value.devices()), kSuperlinearSpeedup,
                   absl::StrCat("more than ", value.devices(), " devices can give by sharing the work", cause)};
    case proto::EFFICIENCY_PERCENT:
      return Limit{100, kEfficiencyAboveWhole, absl::StrCat("more than linear scaling gives", cause)};
    case proto::COMMUNICATION_PERCENT:
      return Limit{100, kShareAboveWhole, "more than the whole time."};
    case proto::COMMUNICATION_FRACTION:
      return Limit{1, kShareAboveWhole, "more than the whole time."};
    default:
      return std::nullopt;
  }
}

// Returns true if the number compares N devices with fewer devices and with nothing else. A label that no column of
// times or rates in its table has, such as "FP32 to mixed precision", compares two columns.
bool ComparesDevicesOnly(const Document& document, const Cell& cell) {
  const proto::PublishedValue& value = *cell.value;
  const std::vector<const Cell*>& cells = document.CellsOf(cell.table);
  const bool is_label_of_column = std::any_of(cells.begin(), cells.end(), [&](const Cell* other) {
    const proto::PublishedQuantity quantity = other->value->quantity();
    return (IsRate(quantity) || IsTotalTime(quantity)) && other->value->context() == value.context();
  });
  return value.devices() > 1 && (value.base_batch() == 0 || value.base_batch() == value.batch()) &&
         (value.context().empty() || is_label_of_column);
}

}  // namespace

void RemarkOnLimits(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  const std::optional<Limit> limit = LimitOf(*cell.value);
  if (!limit.has_value() || cell.value->restated() || audited.flag_size() > 0 || !ComparesDevicesOnly(document, cell) ||
      cell.printed.value - 0.5 * cell.printed.unit <= limit->value) {
    return;
  }
  const std::string sentence = absl::StrCat(PrintedText(*cell.value), " is ", limit->words);
  if (audited.finding() == proto::NOT_REPRODUCIBLE || audited.finding() == proto::GIVEN) {
    Remark(audited, limit->flag, sentence);
  } else {
    absl::StrAppend(audited.mutable_sentence(), " ", sentence);  // it follows, so the number itself is right
  }
}

}  // namespace lockstep
