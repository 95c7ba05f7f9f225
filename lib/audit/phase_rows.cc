#include "lib/audit/phase_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "lib/audit/quantity_kinds.h"

namespace lockstep {
namespace {

bool IsPhase(proto::PublishedQuantity quantity) {
  return std::any_of(std::begin(kPrintedPhases), std::end(kPrintedPhases),
                     [&](const PrintedPhase& phase) { return phase.quantity == quantity; });
}

bool IsOfSameRow(const Cell& a, const Cell& b) {
  return a.value->devices() == b.value->devices() && a.value->batch() == b.value->batch() &&
         a.value->context() == b.value->context() && a.value->epoch() == b.value->epoch();
}

// Returns the sum of the phases in the cell's row; data loading does not count for a time without it.
double SumNextTo(const Document& document, const Cell& total) {
  double sum = 0;
  for (const Cell* cell : document.CellsOf(total.table)) {
    const proto::PublishedQuantity quantity = cell->value->quantity();
    const bool counts = quantity != proto::LOADING_SECONDS || total.value->quantity() != proto::STEP_SECONDS;
    sum += IsPhase(quantity) && counts && IsOfSameRow(*cell, total) ? cell->printed.value : 0;
  }
  return sum;
}

}  // namespace

bool SaysThatPhasesSum(const Document& document) { return document.tables().claims().phases() == "sum"; }

bool IsNextToPhases(const Document& document, const Cell& cell) {
  const std::vector<const Cell*>& cells = document.CellsOf(cell.table);
  return SaysThatPhasesSum(document) && cell.value->epoch() == 0 &&
         std::any_of(cells.begin(), cells.end(), [&](const Cell* other) {
           return IsPhase(other->value->quantity()) && other->value->quantity() != proto::COMMUNICATION_SECONDS &&
                  IsOfSameRow(*other, cell);
         });
}

bool IsSumOfPhases(const Document& document, const Cell& cell) {
  if (!IsTotalTime(cell.value->quantity()) || !IsNextToPhases(document, cell)) {
    return false;
  }
  const auto distance = [&](const Cell& total) { return std::abs(total.printed.value - SumNextTo(document, total)); };
  const std::vector<const Cell*>& cells = document.CellsOf(cell.table);
  return std::none_of(cells.begin(), cells.end(), [&](const Cell* other) {
    return IsTotalTime(other->value->quantity()) && IsOfSameRow(*other, cell) && distance(*other) < distance(cell);
  });
}

}  // namespace lockstep
