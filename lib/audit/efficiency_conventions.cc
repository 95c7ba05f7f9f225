// Efficiencies in percent: a speed-up over the number of devices that made it.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// Way to turn a speed-up S over `base` devices into an efficiency.
struct EfficiencyForm {
  const char* text;
  int departures;
  const char* flag;  // empty: a right formula
  double (*value)(double speedup, double devices_over_base);
};

constexpr EfficiencyForm kForms[] = {
    {"100 * S / N", 0, "", [](double s, double more) { return 100 * s / more; }},
    {"100 * S", 2, kEfficiencyNotDividedByN, [](double s, double) { return 100 * s; }},
    {"S / N", 2, kRatioCalledPercent, [](double s, double more) { return s / more; }},
};

// Returns a convention that takes a speed-up as the document prints it, however it was obtained.
Convention PrintedSpeedup(const Source& speedup) {
  Convention convention;
  convention.text = absl::StrCat("speed-ups of ", speedup.name);
  convention.departures = 1;
  convention.evaluate = [&speedup](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell* cell = speedup.At(place.devices, place.batch);
    if (cell == nullptr) {
      return std::nullopt;
    }
    return Recomputed{cell->Exact(), cell->printed.value, {cell}, cell->Slack()};
  };
  return convention;
}

Convention AsEfficiency(const Convention& speedup, const EfficiencyForm& form, uint32_t base) {
  Convention convention = speedup;
  convention.text = absl::StrCat(form.text, ", S = ", speedup.text);
  convention.departures += form.departures;
  if (form.flag[0] != '\0') {
    convention.flags.push_back(form.flag);
  }
  convention.evaluate = [evaluate = speedup.evaluate, form, base](const TablePlace& place) {
    std::optional<Recomputed> recomputed = evaluate(place);
    if (recomputed.has_value()) {
      const double more = static_cast<double>(place.devices) / base, s = recomputed->exact;
      recomputed->slack = std::abs(form.value(s + recomputed->slack, more) - form.value(s, more));
      recomputed->exact = form.value(s, more);
      recomputed->from_printed = form.value(recomputed->from_printed, more);
    }
    return recomputed;
  };
  return convention;
}

// Returns the conventions 100 * R_N / the ideal rate that the table prints.
std::vector<Convention> SharesOfIdealRates(const Document& document, int table, absl::string_view context) {
  std::vector<Convention> conventions;
  const Sources rates = document.SourcesFor({proto::ITEMS_PER_SECOND}, table, context);
  for (const Source& ideal : document.SourcesFor({proto::IDEAL_ITEMS_PER_SECOND}, table, context)) {
    for (const Source& rate : rates) {
      if (ideal.table != table || rate.table != table || ideal.context != rate.context) {
        continue;
      }
      CellFormula formula;
      formula.text = absl::StrCat("100 * R_N / ideal R_N, rates of ", rate.name);
      formula.departures = 1;
      formula.inputs = [&ideal, &rate](const TablePlace& place) {
        return std::vector<const Cell*>{rate.At(place.devices, place.batch), ideal.At(place.devices, place.batch)};
      };
      formula.value = [](const std::vector<double>& in, const TablePlace&) { return 100 * in[0] / in[1]; };
      conventions.push_back(MakeConvention(formula));
      MarkOtherColumn(rates, rate, context, conventions.back());
    }
  }
  return conventions;
}

}  // namespace

std::vector<Convention> PrintedSpeedups(const Sources& speedups, absl::string_view context) {
  std::vector<Convention> conventions;
  for (const Source& speedup : speedups) {
    conventions.push_back(PrintedSpeedup(speedup));
    MarkOtherColumn(speedups, speedup, context, conventions.back());
  }
  return conventions;
}

std::vector<Convention> EfficiencyConventions(const Document& document, int table, const DeclaredBase& base,
                                              absl::string_view context) {
  std::vector<Convention> speedups = SpeedupConventions(document, proto::SPEEDUP, table, base, context);
  const Sources printed = document.SourcesFor({proto::SPEEDUP}, table, context);
  for (const Source& speedup : printed) {
    if (speedup.table == table) {
      speedups.push_back(PrintedSpeedup(speedup));
      MarkOtherColumn(printed, speedup, context, speedups.back());
    }
  }
  std::vector<Convention> conventions = SharesOfIdealRates(document, table, context);
  for (const Convention& speedup : speedups) {
    for (const EfficiencyForm& form : kForms) {
      conventions.push_back(AsEfficiency(speedup, form, base.devices));
    }
  }
  return conventions;
}

}  // namespace lockstep
