// Serial shares of a program from its speed-ups (Karp and Flatt 1990), and the speed-ups that Amdahl's and Gustafson's
// laws predict from a serial share.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

double KarpFlatt(double s, double n) { return (1 / s - 1 / n) / (1 - 1 / n); }
double ScaledSerialShare(double s, double n) { return (n - s) / (n - 1); }  // Gustafson's law, solved
double Amdahl(double f, double n) { return 1 / (f + (1 - f) / n); }
double Gustafson(double f, double n) { return n - f * (n - 1); }

// Formula of a serial share from a speed-up, or of a speed-up from a serial share, on N devices.
struct SerialForm {
  const char* text;
  int departures;
  const char* flag;  // empty: a right formula
  double (*value)(double x, double n);
};

constexpr SerialForm kSerialForms[] = {
    {"(1/S - 1/N) / (1 - 1/N)", 0, "", KarpFlatt},
    {"1 - S/N", 2, kEfficiencyLossCalledSerial, [](double s, double n) { return 1 - s / n; }},
    {"1/S - 1/N", 2, kKarpFlattDenominatorMissing, [](double s, double n) { return 1 / s - 1 / n; }},
    {"1 - Karp-Flatt", 3, kParallelShare, [](double s, double n) { return 1 - KarpFlatt(s, n); }}};

constexpr SerialForm kAmdahlForms[] = {
    {"1 / (f + (1-f)/N)", 0, "", Amdahl},
    {"N - f * (N-1)", 3, kOtherLaw, Gustafson},
    {"1 / (1-f + f/N)", 3, kParallelShare, [](double f, double n) { return Amdahl(1 - f, n); }}};

constexpr SerialForm kGustafsonForms[] = {
    {"N - f * (N-1)", 0, "", Gustafson},
    {"1 / (f + (1-f)/N)", 3, kOtherLaw, Amdahl},
    {"N - (1-f) * (N-1)", 3, kParallelShare, [](double f, double n) { return Gustafson(1 - f, n); }}};

// Returns the serial share that `form` makes of a speed-up.
Convention AsSerialShare(const Convention& speedup, const SerialForm& form, double scale, uint32_t base) {
  Convention convention = speedup;
  convention.text = absl::StrCat(scale == 100 ? "100 * " : "", "f = ", form.text, ", S = ", speedup.text);
  convention.departures += form.departures;
  for (const std::string& flag : ListOfFlag(form.flag)) {
    convention.flags.push_back(flag);
  }
  convention.note.clear();
  convention.evaluate = [evaluate = speedup.evaluate, value = form.value, scale,
                         base](const TablePlace& place) -> std::optional<Recomputed> {
    std::optional<Recomputed> made = evaluate(place);
    const double n = static_cast<double>(place.devices) / base;
    if (!made.has_value() || n <= 1 || made->exact <= 0 || made->from_printed <= 0) {
      return std::nullopt;  // one device has no serial share
    }
    const double s = made->exact, least = s - made->slack;
    made->exact = scale * value(s, n);
    made->slack = least > 0 ? std::abs(scale * value(least, n) - made->exact) : 0;
    made->from_printed = scale * value(made->from_printed, n);
    return made;
  };
  return convention;
}

std::vector<Convention> SerialShares(const Document& document, proto::PublishedQuantity quantity, int table,
                                     const DeclaredBase& base, absl::string_view context) {
  std::vector<Convention> speedups = SpeedupConventions(document, proto::SPEEDUP, table, base, context);
  const std::vector<Convention> printed =
      PrintedSpeedups(document.SourcesFor({proto::SPEEDUP}, table, context), context);
  speedups.insert(speedups.end(), printed.begin(), printed.end());
  const bool percent = quantity == proto::SERIAL_PERCENT;
  std::vector<Convention> conventions;
  for (const Convention& speedup : speedups) {
    for (const SerialForm& form : kSerialForms) {
      if (form.flag[0] == '\0' || speedup.flags.empty()) {  // one slip at a time
        conventions.push_back(AsSerialShare(speedup, form, percent ? 100 : 1, base.devices));
      }
    }
    if (percent && speedup.flags.empty()) {
      conventions.push_back(AsSerialShare(speedup, kSerialForms[0], 1, base.devices));
      conventions.back().departures += 2;
      conventions.back().flags.emplace_back(kRatioCalledPercent);
    }
  }
  return conventions;
}

// Serial share that a prediction uses: the cells that it is made of, and their formula.
struct SerialInput {
  std::string text;
  int departures;
  std::function<std::vector<const Cell*>(const TablePlace&)> cells;
  std::function<double(const std::vector<double>&)> share;
};

// Returns the number that a column prints at a batch, or without a batch.
const Cell* AtBatch(const Source& source, uint32_t devices, uint64_t batch) {
  const Cell* cell = source.At(devices, batch);
  return cell != nullptr ? cell : source.At(devices, 0);
}

SerialInput PrintedShare(const Source& source, uint32_t devices) {
  const double scale = source.quantity == proto::SERIAL_PERCENT ? 100 : 1;
  return {absl::StrCat("f of N = ", devices, " of ", source.name), 0,
          [&source, devices](const TablePlace& place) {
            return std::vector<const Cell*>{AtBatch(source, devices, place.batch)};
          },
          [scale](const std::vector<double>& printed) { return printed[0] / scale; }};
}

SerialInput OfSpeedup(const Source& source, uint32_t devices, double (*share)(double, double)) {
  return {absl::StrCat("f of the speed-up of N = ", devices, " of ", source.name), 1,
          [&source, devices](const TablePlace& place) {
            return std::vector<const Cell*>{AtBatch(source, devices, place.batch)};
          },
          [devices, share](const std::vector<double>& printed) { return share(printed[0], devices); }};
}

SerialInput OfTimes(const Source& source, uint32_t devices, double (*share)(double, double)) {
  return {absl::StrCat("f of T_1/T_", devices, ", times of ", source.name), 1,
          [&source, devices](const TablePlace& place) {
            return std::vector<const Cell*>{source.At(1, place.batch), source.At(devices, place.batch)};
          },
          [devices, share](const std::vector<double>& times) { return share(times[0] / times[1], devices); }};
}

std::vector<SerialInput> SerialInputs(const Document& document, int table, absl::string_view context,
                                      double (*share)(double, double)) {
  std::vector<SerialInput> inputs;
  if (const double stated = document.tables().claims().serial_fraction(); stated > 0) {
    inputs.push_back({absl::StrCat("f = ", stated, " as stated"), 0,
                      [](const TablePlace&) { return std::vector<const Cell*>(); },
                      [stated](const std::vector<double>&) { return stated; }});
  }
  for (const uint32_t devices : document.SeveralDevices()) {
    for (const Source& source : document.SourcesFor({proto::SERIAL_FRACTION, proto::SERIAL_PERCENT}, table, context)) {
      inputs.push_back(PrintedShare(source, devices));
    }
    for (const Source& source : document.SourcesFor({proto::SPEEDUP}, table, context)) {
      inputs.push_back(OfSpeedup(source, devices, share));
    }
    for (const Source& source : document.Times(table, context)) {
      inputs.push_back(OfTimes(source, devices, share));
    }
  }
  return inputs;
}

Convention MakePrediction(const SerialForm& form, const SerialInput& input) {
  CellFormula formula;
  formula.text = absl::StrCat(form.text, ", ", input.text);
  formula.departures = form.departures + input.departures;
  formula.flags = ListOfFlag(form.flag);
  formula.inputs = input.cells;
  formula.value = [share = input.share, value = form.value](const std::vector<double>& cells, const TablePlace& place) {
    return value(share(cells), place.devices);
  };
  return MakeConvention(formula);
}

}  // namespace

std::vector<Convention> SerialConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                          const DeclaredBase& base, absl::string_view context) {
  if (quantity == proto::SERIAL_FRACTION || quantity == proto::SERIAL_PERCENT) {
    return SerialShares(document, quantity, table, base, context);
  }
  std::vector<Convention> conventions;
  const bool amdahl = quantity == proto::AMDAHL_SPEEDUP;
  for (const SerialInput& input : SerialInputs(document, table, context, amdahl ? KarpFlatt : ScaledSerialShare)) {
    for (const SerialForm& form : amdahl ? kAmdahlForms : kGustafsonForms) {
      conventions.push_back(MakePrediction(form, input));
    }
  }
  return conventions;
}

}  // namespace lockstep
