#include "lib/audit/measured_parts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "lib/published/printed_number.h"

namespace lockstep {
namespace {

// Largest number of numbers in a column that is searched for exchanged rows, so that the work stays small.
constexpr size_t kMaxColumn = 100;

// Returns the value of `convention` at the place of `cell`.
std::optional<Recomputed> ValueAt(const Convention& convention, const Cell& cell) {
  return convention.evaluate({cell.value->devices(), cell.value->batch()});
}

// Returns true for a right formula.
bool IsPlain(const Convention& convention) { return convention.departures <= 1 && convention.flags.empty(); }

// Returns true if `convention` gives at least half of the numbers at some place of the column.
bool GivesAtOtherPlaces(const Convention& convention, const std::vector<Cell*>& cells) {
  std::vector<Recomputed> values;
  for (const Cell* cell : cells) {
    if (std::optional<Recomputed> value = ValueAt(convention, *cell); value.has_value()) {
      values.push_back(*value);
    }
  }
  const auto given = std::count_if(cells.begin(), cells.end(), [&](const Cell* cell) {
    return std::any_of(values.begin(), values.end(),
                       [&](const Recomputed& value) { return RoundsWithin(value.exact, value.slack, cell->printed); });
  });
  return 2 * static_cast<size_t>(given) >= cells.size();
}

// Returns true if all numbers are the values of `convention` times one factor.
bool GivesMultiples(const Convention& convention, const std::vector<Cell*>& cells) {
  double low = 0, high = INFINITY;  // factors that give all numbers so far
  for (const Cell* cell : cells) {
    const std::optional<Recomputed> value = ValueAt(convention, *cell);
    if (!value.has_value() || value->exact <= value->slack) {
      return false;
    }
    const double half = 0.5 * cell->printed.unit;
    low = std::max(low, (cell->printed.value - half) / (value->exact + value->slack));
    high = std::min(high, (cell->printed.value + half) / (value->exact - value->slack));
  }
  return low <= high;
}

// Returns true if the number may be a part of the time of an epoch at its place.
bool FitsInTheWhole(const Document& document, const Cell& part) {
  double whole = 0;
  for (const Cell* cell : document.CellsAt(part.value->devices(), part.value->batch())) {
    const proto::PublishedQuantity quantity = cell->value->quantity();
    if ((quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS) && cell->value->epoch() == 0) {
      whole = std::max(whole, cell->printed.value + 0.5 * cell->printed.unit);
    }
  }
  return part.value->devices() > 1 && part.printed.value > 0 &&
         (whole == 0 || part.printed.value - 0.5 * part.printed.unit <= whole);
}

}  // namespace

void GiveMeasuredParts(const Document& document, const std::vector<Convention>& conventions,
                       const std::vector<Cell*>& cells, const std::vector<proto::AuditedValue*>& audited) {
  const bool any_follows = std::any_of(audited.begin(), audited.end(), [](const proto::AuditedValue* value) {
    return value->finding() == proto::REPRODUCED || value->finding() == proto::AMBIGUOUS;
  });
  if (cells.size() < 2 || cells.size() > kMaxColumn || any_follows) {
    return;
  }
  const bool is_computed = std::any_of(conventions.begin(), conventions.end(), [&](const Convention& convention) {
    return IsPlain(convention) && (GivesAtOtherPlaces(convention, cells) || GivesMultiples(convention, cells));
  });
  if (is_computed) {
    return;
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    if (audited[i]->finding() == proto::NOT_REPRODUCIBLE && FitsInTheWhole(document, *cells[i])) {
      audited[i]->clear_nearest();
      audited[i]->clear_flag();
      audited[i]->set_finding(proto::GIVEN);
      audited[i]->set_sentence("Most likely measured, not computed: no formula gives any number of this column.");
    }
  }
}

}  // namespace lockstep
