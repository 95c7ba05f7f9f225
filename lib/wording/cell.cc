#include "lib/wording/cell.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

constexpr double kThousandsFrom = 10000;
constexpr double kExponentBelow = 1e-3;
constexpr int kMaxDecimals = 9;  // nanoseconds, the clock's resolution

// Returns the number of decimals with which `value` shows `significant` digits.
int Decimals(double value, int significant) {
  if (value == 0) {
    return 0;
  }
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return std::clamp(significant - 1 - magnitude, 0, kMaxDecimals);
}

std::string WithThousands(std::string digits) {
  const size_t point = std::min(digits.find('.'), digits.size());
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t i = point; i > first + 3; i -= 3) {
    digits.insert(i - 3, 1, ',');
  }
  return digits;
}

proto::Samples Scaled(const proto::Samples& samples, double scale) {
  proto::Samples scaled = samples;
  for (double& value : *scaled.mutable_value()) {
    value *= scale;
  }
  return scaled;
}

void AddOnce(const std::string& text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
    texts.push_back(text);
  }
}

// Returns all significant digits that are useful to a reader; the last digits of a double are noise.
std::string AllDigits(double value) { return absl::StrFormat("%.9g", value); }

constexpr char kNoReason[] = "not in the record, which gives no reason";

}  // namespace

MeanAndDeviation MeanAndDeviationOf(const proto::Samples& samples) {
  MeanAndDeviation spread;
  spread.n = static_cast<size_t>(samples.value_size());
  for (const double value : samples.value()) {
    spread.mean += value / static_cast<double>(spread.n);
  }
  double squares = 0;
  for (const double value : samples.value()) {
    squares += (value - spread.mean) * (value - spread.mean);
  }
  if (spread.n >= 2) {
    spread.standard_deviation = std::sqrt(squares / static_cast<double>(spread.n - 1));
  }
  return spread;
}

std::string FormatFixed(double value, int decimals) {
  const std::string digits = absl::StrFormat("%.*f", decimals, value);
  return std::abs(value) >= kThousandsFrom ? WithThousands(digits) : digits;
}

std::string FormatNumber(double value, int significant) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  if (value != 0 && std::abs(value) < kExponentBelow) {
    return absl::StrFormat("%.*e", std::max(significant - 1, 0), value);
  }
  return FormatFixed(value, Decimals(value, significant));
}

std::string FormatInterval(double value, double low, double high) {
  const double half_width = std::abs(high - low) / 2;
  if (half_width == 0 || !std::isfinite(half_width) || half_width < kExponentBelow) {
    return absl::StrCat(FormatNumber(value), " [", FormatNumber(low), ", ", FormatNumber(high), "]");
  }
  const int decimals = Decimals(half_width, 2);
  return absl::StrCat(FormatFixed(value, decimals), " [", FormatFixed(low, decimals), ", ", FormatFixed(high, decimals),
                      "]");
}

std::string FormatPercent(double fraction) { return absl::StrFormat("%.2f", 100 * fraction); }

std::string FormatCount(uint64_t count) {
  return count < kThousandsFrom ? absl::StrCat(count) : WithThousands(absl::StrCat(count));
}

std::string CountOf(uint64_t count, absl::string_view noun) {
  return absl::StrCat(FormatCount(count), " ", noun, count == 1 ? "" : "s");
}

std::string FormatMeanAndDeviation(const MeanAndDeviation& spread) {
  if (spread.n < 2) {
    return FormatNumber(spread.mean);
  }
  if (spread.mean != 0 && std::abs(spread.mean) < kExponentBelow) {
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(spread.mean))));
    const double scale = std::pow(10, -exponent);
    return absl::StrCat("(", FormatMeanAndDeviation({spread.mean * scale, spread.standard_deviation * scale, spread.n}),
                        ")e", exponent);
  }
  if (spread.standard_deviation == 0 || !std::isfinite(spread.standard_deviation)) {
    return absl::StrCat(FormatNumber(spread.mean), " ± ", FormatNumber(spread.standard_deviation));
  }
  const int decimals = Decimals(spread.standard_deviation, 2);
  return absl::StrCat(FormatFixed(spread.mean, decimals), " ± ", FormatFixed(spread.standard_deviation, decimals));
}

proto::Cell LabelCell(absl::string_view text) {
  proto::Cell cell;
  cell.set_text(std::string(text));
  return cell;
}

proto::Cell AbsentCell(absl::string_view reason) {
  proto::Cell cell;
  cell.set_absent_reason(std::string(reason.empty() ? kNoReason : reason));
  return cell;
}

proto::Cell NumberCell(double value, proto::Provenance provenance, absl::string_view method, int significant) {
  proto::Cell cell = LabelCell(FormatNumber(value, significant));
  cell.set_provenance(provenance);
  cell.set_method(std::string(method));
  cell.set_exact(AllDigits(value));
  return cell;
}

proto::Cell CountCell(uint64_t count, proto::Provenance provenance, absl::string_view method) {
  proto::Cell cell = LabelCell(FormatCount(count));
  cell.set_provenance(provenance);
  cell.set_method(std::string(method));
  return cell;
}

proto::Cell PercentCell(double fraction, proto::Provenance provenance, absl::string_view method) {
  proto::Cell cell = LabelCell(FormatPercent(fraction));
  cell.set_provenance(provenance);
  cell.set_method(std::string(method));
  return cell;
}

proto::Cell SamplesCell(const proto::Samples& samples, double scale, absl::string_view repeats) {
  if (samples.value().empty()) {
    return AbsentCell(samples.absent_reason());
  }
  const MeanAndDeviation spread = MeanAndDeviationOf(Scaled(samples, scale));
  proto::Cell cell = LabelCell(absl::StrCat(FormatMeanAndDeviation(spread), " (", spread.n, ")"));
  cell.set_provenance(proto::MEASURED);
  cell.set_exact(spread.n == 1 ? AllDigits(spread.mean)
                               : absl::StrCat(AllDigits(spread.mean), " ± ", AllDigits(spread.standard_deviation)));
  cell.set_method(spread.n == 1 ? absl::StrCat("one value, no spread (n = 1 of the ", repeats, ")")
                                : absl::StrCat("mean ± sample standard deviation of ", spread.n, " ", repeats));
  return cell;
}

proto::Cell QuantityCell(const proto::Quantity& quantity, double scale) {
  if (!quantity.has_value()) {
    return AbsentCell(quantity.absent_reason());
  }
  proto::Cell cell = NumberCell(quantity.value() * scale, quantity.provenance(), quantity.method());
  if (quantity.has_low() && quantity.has_high()) {
    cell.set_text(FormatInterval(quantity.value() * scale, quantity.low() * scale, quantity.high() * scale));
    cell.set_exact(absl::StrCat(AllDigits(quantity.value() * scale), " [", AllDigits(quantity.low() * scale), ", ",
                                AllDigits(quantity.high() * scale), "]"));
  }
  if (quantity.value() < 0) {
    cell.set_note("negative: shown as computed, not clamped to 0");
  }
  return cell;
}

proto::Cell QuantityCountCell(const proto::Quantity& quantity) {
  proto::Cell cell = QuantityCell(quantity);
  // Beyond 2^53 a double does not hold an exact count. A negative number or a NaN stays as QuantityCell shows it.
  if (quantity.value() >= 0 && quantity.value() < std::ldexp(1.0, 53) && quantity.has_value()) {
    cell.set_text(FormatCount(static_cast<uint64_t>(std::llround(quantity.value()))));
  }
  return cell;
}

proto::Table MakeTable(absl::string_view caption, const std::vector<std::string>& columns) {
  proto::Table table;
  table.set_caption(std::string(caption));
  table.mutable_column()->Add(columns.begin(), columns.end());
  return table;
}

void AddRow(proto::Table& table, const std::vector<proto::Cell>& cells) {
  table.add_row()->mutable_cell()->Add(cells.begin(), cells.end());
}

void AddMethodNotes(proto::Table& table) {
  std::vector<std::string> columns;  // unique names
  std::map<std::string, std::vector<std::string>> methods_of_column;
  for (int i = 0; i < table.column_size(); ++i) {
    AddOnce(table.column(i), columns);
    for (const proto::Row& row : table.row()) {
      if (!row.cell(i).method().empty()) {
        AddOnce(row.cell(i).method(), methods_of_column[table.column(i)]);
      }
    }
  }
  std::vector<std::string> notes;  // notes in the order of their first column
  std::map<std::string, std::vector<std::string>> columns_of_note;
  for (const std::string& column : columns) {
    const std::vector<std::string>& methods = methods_of_column[column];
    if (!methods.empty()) {
      const std::string note = methods.size() == 1 ? methods[0] : absl::StrCat("for example ", methods[0]);
      AddOnce(note, notes);
      columns_of_note[note].push_back(column);
    }
  }
  for (const std::string& note : notes) {
    table.add_note(absl::StrCat(absl::StrJoin(columns_of_note[note], "; "), ": ", note));
  }
}

}  // namespace lockstep
