// Numbers as people read them: rounded as their spread allows, never without their provenance.
#ifndef LOCKSTEP_LIB_REPORT_CELL_H_
#define LOCKSTEP_LIB_REPORT_CELL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Mean and sample standard deviation (n - 1 below the fraction bar; 0 for fewer than two values).
struct MeanAndDeviation {
  double mean = 0;
  double standard_deviation = 0;
  size_t n = 0;
};
MeanAndDeviation MeanAndDeviationOf(const proto::Samples& samples);

// "12.05", "0.1234", "50,123": `significant` digits, all digits of the integer part, thousands separated by commas from
// 10,000 on; "1.2e-07" below 1e-3. Not finite: "nan", "inf".
std::string FormatNumber(double value, int significant = 4);

// "1.97 [1.93, 2.01]": a value and its interval, to the second significant digit of half its width.
std::string FormatInterval(double value, double low, double high);

// "54.10" of 0.541: an accuracy or another share in per cent, to a hundredth: one image of 10,000.
std::string FormatPercent(double fraction);

// "50,000".
std::string FormatCount(uint64_t count);

// "12.05 ± 0.13": mean ± sample standard deviation, both to the second significant digit of the latter. One value: as
// FormatNumber. Below 1e-3: "(4.143 ± 0.027)e-5".
std::string FormatMeanAndDeviation(const MeanAndDeviation& spread);

// --- Cells. `scale` multiplies the value, for columns in another unit than the field (1e-9: bytes as GB). ---

// A label: text without provenance.
proto::Cell LabelCell(absl::string_view text);

// Blank, with the reason why.
proto::Cell AbsentCell(absl::string_view reason);

proto::Cell NumberCell(double value, proto::Provenance provenance, absl::string_view method, int significant = 4);
proto::Cell PercentCell(double fraction, proto::Provenance provenance, absl::string_view method);
proto::Cell CountCell(uint64_t count, proto::Provenance provenance, absl::string_view method);

// "12.05 ± 0.13 (5)", measured; "12.05 (1)" for a single value, which has no spread. Blank with the samples' reason
// when there are none. `repeats` says what was repeated.
proto::Cell SamplesCell(const proto::Samples& samples, double scale = 1, absl::string_view repeats = "timed epochs");

// "1.97 [1.93, 2.01]" with an interval, with the quantity's own provenance and method. Blank with its reason when it
// has no value. A negative value carries a note, because times, rates and shares of them should not be negative.
proto::Cell QuantityCell(const proto::Quantity& quantity, double scale = 1);

// The same of a quantity that is a count: "1,955".
proto::Cell QuantityCountCell(const proto::Quantity& quantity);

// --- Tables ---

proto::Table MakeTable(absl::string_view caption, const std::vector<std::string>& columns);
void AddRow(proto::Table& table, const std::vector<proto::Cell>& cells);

// Notes that say how the numbers of each column came about: "time, s; copy, s: METHOD". Columns of one name are one;
// where their methods differ from cell to cell (they may name N and B), the first stands as an example.
void AddMethodNotes(proto::Table& table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_CELL_H_
