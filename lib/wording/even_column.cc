#include "lib/wording/even_column.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr int kMaxDecimals = 3;

// Returns the number of decimals with which `value` shows `digits` significant digits, at most kMaxDecimals.
int DecimalsOf(double value, int digits) {
  return value == 0 || !std::isfinite(value)
             ? 0
             : std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, kMaxDecimals);
}

int Decimals(const std::vector<EvenCell>& cells) {
  int of_intervals = -1, of_values = 0;
  for (const EvenCell& cell : cells) {
    if (cell.has_number) {
      of_values = std::max(of_values, DecimalsOf(cell.value, 3));
      of_intervals =
          cell.high > cell.low ? std::max(of_intervals, DecimalsOf((cell.high - cell.low) / 2, 2)) : of_intervals;
    }
  }
  return of_intervals < 0 ? of_values : of_intervals;
}

}  // namespace

std::vector<proto::Cell> EvenColumn(const std::vector<EvenCell>& cells, IntervalText intervals) {
  const int decimals = Decimals(cells);
  std::vector<proto::Cell> column;
  for (const EvenCell& cell : cells) {
    column.push_back(cell.cell);
    if (cell.has_number) {
      const bool with_interval = intervals == IntervalText::kShown && cell.high > cell.low;
      column.back().set_text(absl::StrCat(FormatFixed(cell.value, decimals),
                                          with_interval ? absl::StrCat(" [", FormatFixed(cell.low, decimals), ", ",
                                                                       FormatFixed(cell.high, decimals), "]")
                                                        : ""));
    }
  }
  return column;
}

}  // namespace lockstep
