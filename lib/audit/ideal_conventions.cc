// Numbers under linear scaling, which documents print next to the measured ones: ideal rates, speed-ups and times.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"

namespace lockstep {
namespace {

TablePlace PlaceOfBase(const TablePlace& place, const DeclaredBase& base) {
  return {base.devices, base.batch > 0 ? base.batch : place.batch};
}

// Returns "N" for a base of one device, and "N/2" for a base of two.
std::string TimesMore(const DeclaredBase& base) { return base.devices == 1 ? "N" : absl::StrCat("N/", base.devices); }

Convention MakeIdealRate(const Source& rates, const DeclaredBase& base) {
  const bool per_device = rates.quantity == proto::ITEMS_PER_SECOND_PER_DEVICE;
  CellFormula formula;
  formula.text = absl::StrCat(per_device ? "N" : TimesMore(base), " * R_", base.devices,
                              per_device ? " per device" : "", ", rates of ", rates.name);
  formula.inputs = [&rates, base](const TablePlace& place) {
    const TablePlace at = PlaceOfBase(place, base);
    return std::vector<const Cell*>{rates.At(at.devices, at.batch)};
  };
  formula.value = [base, per_device](const std::vector<double>& rate, const TablePlace& place) {
    return rate[0] * place.devices / (per_device ? 1 : base.devices);
  };
  return MakeConvention(formula);
}

// Returns the convention N, which has no input.
Convention MakeIdealSpeedup(const DeclaredBase& base) {
  CellFormula formula;
  formula.text = TimesMore(base);
  formula.inputs = [](const TablePlace&) { return std::vector<const Cell*>(); };
  formula.value = [base](const std::vector<double>&, const TablePlace& place) {
    return static_cast<double>(place.devices) / base.devices;
  };
  return MakeConvention(formula);
}

// Returns the convention T_1/N: the time of the base over the number of times that there are more devices.
Convention MakeIdealTime(const Source& times, const DeclaredBase& base) {
  CellFormula formula;
  formula.text = absl::StrCat("T_", base.devices, " / (", TimesMore(base), "), times of ", times.name);
  formula.inputs = [&times, base](const TablePlace& place) {
    const TablePlace at = PlaceOfBase(place, base);
    return std::vector<const Cell*>{times.At(at.devices, at.batch)};
  };
  formula.value = [base](const std::vector<double>& time, const TablePlace& place) {
    return time[0] * base.devices / place.devices;
  };
  return MakeConvention(formula);
}

}  // namespace

std::vector<Convention> IdealConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                         const DeclaredBase& base, absl::string_view context) {
  if (quantity == proto::IDEAL_SPEEDUP) {
    return {MakeIdealSpeedup(base)};
  }
  const bool is_rate = quantity == proto::IDEAL_ITEMS_PER_SECOND;
  const Sources sources = is_rate ? RateSources(document, table, context) : document.Times(table, context);
  std::vector<Convention> conventions;
  for (const Source& source : sources) {
    if (source.quantity != proto::ITERATION_SECONDS) {  // an iteration holds an unstated number of items
      conventions.push_back(is_rate ? MakeIdealRate(source, base) : MakeIdealTime(source, base));
      MarkOtherColumn(sources, source, context, conventions.back());
    }
  }
  return conventions;
}

}  // namespace lockstep
