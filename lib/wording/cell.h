// Numbers formatted for people: rounded according to their spread, always with their provenance.
#ifndef LOCKSTEP_LIB_WORDING_CELL_H_
#define LOCKSTEP_LIB_WORDING_CELL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Mean and sample standard deviation (divisor n - 1; 0 for fewer than two values).
struct MeanAndDeviation {
  double mean = 0;
  double standard_deviation = 0;
  size_t n = 0;
};
MeanAndDeviation MeanAndDeviationOf(const proto::Samples& samples);

// Formats "12.05", "0.1234", "50,123": `significant` digits, but all digits of the integer part; commas between
// thousands from 10,000 on; "1.2e-07" below 1e-3. Values that are not finite become "nan" or "inf".
std::string FormatNumber(double value, int significant = 4);

// Formats "0.120" with 3 decimals, "12,346" with none; commas between thousands from 10,000 on.
std::string FormatFixed(double value, int decimals);

// Formats a value and its interval, "1.97 [1.93, 2.01]", to the second significant digit of half the interval's width.
std::string FormatInterval(double value, double low, double high);

// Formats 0.541 as "54.10": an accuracy or another share in per cent, to a hundredth, which is one image of 10,000.
std::string FormatPercent(double fraction);

// Formats "50,000".
std::string FormatCount(uint64_t count);

// Formats "1 group", "2 groups", "50,000 groups". `noun` must have a plural in "s".
std::string CountOf(uint64_t count, absl::string_view noun);

// Formats "12.05 ± 0.13": mean ± sample standard deviation, both to the second significant digit of the deviation;
// "(4.143 ± 0.027)e-5" below 1e-3. A single value is formatted like FormatNumber.
std::string FormatMeanAndDeviation(const MeanAndDeviation& spread);

// --- Cells. `scale` multiplies the value, for columns in another unit than the field (Unit::scale, unit.h). ---

// Returns a label: text without provenance.
proto::Cell LabelCell(absl::string_view text);

// Returns a blank cell with the reason.
proto::Cell AbsentCell(absl::string_view reason);

proto::Cell NumberCell(double value, proto::Provenance provenance, absl::string_view method, int significant = 4);
proto::Cell PercentCell(double fraction, proto::Provenance provenance, absl::string_view method);
proto::Cell CountCell(uint64_t count, proto::Provenance provenance, absl::string_view method);

// Returns "12.05 ± 0.13 (5)", measured; "12.05 (1)" for a single value, which has no spread; or a blank cell with the
// samples' reason if there are no values. `repeats` names what was repeated.
proto::Cell SamplesCell(const proto::Samples& samples, double scale = 1, absl::string_view repeats = "timed epochs");

// Returns "1.97 [1.93, 2.01]" if there is an interval, with the quantity's own provenance and method; a blank cell with
// the quantity's reason if it has no value. A negative value gets a note, because times, rates and shares of them
// should not be negative.
proto::Cell QuantityCell(const proto::Quantity& quantity, double scale = 1);

// Returns the same for a quantity that is a count: "1,955".
proto::Cell QuantityCountCell(const proto::Quantity& quantity);

// --- Tables ---

proto::Table MakeTable(absl::string_view caption, const std::vector<std::string>& columns);
void AddRow(proto::Table& table, const std::vector<proto::Cell>& cells);

// Adds notes on how the numbers of each column were obtained: "time, s; copy, s: METHOD". Columns of the same name
// share a note. If their methods differ from cell to cell (a method may name N and B), the first method is given as an
// example.
void AddMethodNotes(proto::Table& table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_CELL_H_
