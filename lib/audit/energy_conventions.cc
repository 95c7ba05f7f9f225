// Energies: power times time, and energies of an epoch divided by its images or by each other.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"

namespace lockstep {
namespace {

using Inputs = std::vector<const Cell*>;

// The devices whose power the document prints. A document that states neither is read in both ways.
enum class PowerOf { kAllDevices, kOneDevice };

constexpr PowerOf kBoth[] = {PowerOf::kAllDevices, PowerOf::kOneDevice};

// Returns a formula of power `power` and of another column at the same place: "N * P * T_N".
CellFormula OfPower(const Source& power, const Source& other, const char* operation, PowerOf power_of) {
  CellFormula formula;
  const bool each = power_of == PowerOf::kOneDevice;
  formula.text = absl::StrCat(each ? "N * P" : "P", operation, ", P of ", power.name, ", from ", other.name);
  formula.departures = each ? 1 : 0;
  formula.inputs = [&power, &other](const TablePlace& place) {
    return Inputs{power.At(place.devices, place.batch), other.At(place.devices, place.batch)};
  };
  return formula;
}

double DevicesIn(PowerOf power_of, const TablePlace& place) {
  return power_of == PowerOf::kOneDevice ? place.devices : 1;
}

Convention PowerTimesTime(const Source& power, const Source& times, const char* time, PowerOf power_of,
                          double divisor) {
  CellFormula formula = OfPower(power, times, time, power_of);
  formula.value = [power_of, divisor](const std::vector<double>& in, const TablePlace& place) {
    return divisor > 0 ? DevicesIn(power_of, place) * in[0] * in[1] / divisor : NAN;
  };
  return MakeConvention(formula);
}

Convention PowerOverRate(const Source& power, const Source& rates, PowerOf power_of) {
  CellFormula formula = OfPower(power, rates, " / R", power_of);
  formula.departures += 1;
  formula.value = [power_of](const std::vector<double>& in, const TablePlace& place) {
    return DevicesIn(power_of, place) * in[0] / in[1];
  };
  return MakeConvention(formula);
}

Convention EnergyTimes(const Source& energy, const char* text, double factor) {
  CellFormula formula;
  formula.text = absl::StrCat(text, ", E of ", energy.name);
  formula.inputs = [&energy](const TablePlace& place) { return Inputs{energy.At(place.devices, place.batch)}; };
  formula.value = [factor](const std::vector<double>& in, const TablePlace&) {
    return factor > 0 && std::isfinite(factor) ? in[0] * factor : NAN;
  };
  return MakeConvention(formula);
}

// Quotient of two energies: E_N / E_base, or the saving E_base / E_N.
enum class Quotient { kGrowth, kSaving };

Convention EnergyQuotient(const Source& energy, const DeclaredBase& base, Quotient quotient) {
  const bool inverted = quotient == Quotient::kSaving;
  CellFormula formula;
  formula.text = inverted ? absl::StrCat("E_", base.devices, "/E_N, energies of ", energy.name)
                          : absl::StrCat("E_N/E_", base.devices, ", energies of ", energy.name);
  formula.departures = inverted ? 1 : 0;
  formula.inputs = [&energy, base](const TablePlace& place) {
    return Inputs{energy.At(base.devices, base.batch > 0 ? base.batch : place.batch),
                  energy.At(place.devices, place.batch)};
  };
  formula.value = [inverted](const std::vector<double>& in, const TablePlace&) {
    return inverted ? in[0] / in[1] : in[1] / in[0];
  };
  return MakeConvention(formula);
}

}  // namespace

std::vector<Convention> EnergyConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                          const DeclaredBase& base, absl::string_view context) {
  std::vector<Convention> conventions;
  const double images = document.ImagesPerEpoch();
  if (quantity == proto::ENERGY_RATIO) {
    for (const Source& energy :
         document.SourcesFor({proto::EPOCH_JOULES, proto::RUN_JOULES, proto::ITEM_JOULES}, table, context)) {
      conventions.push_back(EnergyQuotient(energy, base, Quotient::kGrowth));
      conventions.push_back(EnergyQuotient(energy, base, Quotient::kSaving));
    }
    return conventions;
  }
  const bool of_run = quantity == proto::RUN_JOULES, of_item = quantity == proto::ITEM_JOULES;
  const Sources times =
      of_run ? document.SourcesFor({proto::RUN_SECONDS}, table, context) : document.Times(table, context);
  for (const Source& power : document.SourcesFor({proto::POWER_WATTS}, table, context)) {
    for (const PowerOf power_of : kBoth) {
      for (const Source& time : times) {
        const char* text = of_item ? " * T_N / images" : of_run ? " * T_run" : " * T_N";
        conventions.push_back(PowerTimesTime(power, time, text, power_of, of_item ? images : 1));
      }
      for (const Source& rates : document.SourcesFor({proto::ITEMS_PER_SECOND}, table, context)) {
        if (of_item) {
          conventions.push_back(PowerOverRate(power, rates, power_of));
        }
      }
    }
  }
  for (const Source& energy : document.SourcesFor({proto::EPOCH_JOULES}, table, context)) {
    if (of_item) {
      conventions.push_back(EnergyTimes(energy, "E / images", 1 / images));
    } else if (of_run) {
      conventions.push_back(
          EnergyTimes(energy, "E * epochs", static_cast<double>(document.tables().claims().epochs())));
    }
  }
  return conventions;
}

}  // namespace lockstep
