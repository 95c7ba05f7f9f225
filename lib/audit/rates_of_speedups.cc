// Rates computed as the rate of one device times a printed speed-up.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/conventions.h"

namespace lockstep {
namespace {

Convention MakeRateOfSpeedup(const Source& rates, const Source& speedups, const Convention& plain) {
  Convention convention;
  convention.text = absl::StrCat("R_1 * S, R_1 of ", rates.name, ", S of ", speedups.name);
  convention.departures = plain.departures + kLateDepartures;
  convention.contradictions = plain.contradictions;
  convention.evaluate = [&rates, &speedups,
                         plain = plain.evaluate](const TablePlace& place) -> std::optional<Recomputed> {
    std::optional<Recomputed> recomputed = plain(place);
    if (!recomputed.has_value() || place.devices == 1) {
      return recomputed;  // the rate of one device is no product
    }
    const Cell* one = rates.At(1, place.batch);
    const Cell* speedup = speedups.At(place.devices, place.batch);
    if (one == nullptr || speedup == nullptr || speedup->value->base_devices() > 1 || one->printed.value <= 0 ||
        speedup->printed.value <= 0) {
      return std::nullopt;
    }
    const double value = one->printed.value * speedup->printed.value;
    return Recomputed{value, value, {one, speedup}};  // no slack: both factors are as printed
  };
  return convention;
}

}  // namespace

std::vector<Convention> RatesOfSpeedups(const Document& document, int table, const Convention& plain,
                                        absl::string_view context) {
  std::vector<Convention> conventions;
  for (const Source& rates : document.SourcesFor({proto::ITEMS_PER_SECOND}, table, context)) {
    if (rates.table != table || rates.context != context) {
      continue;
    }
    for (const Source& speedups : document.SourcesFor({proto::SPEEDUP}, table, context)) {
      conventions.push_back(MakeRateOfSpeedup(rates, speedups, plain));
    }
  }
  return conventions;
}

}  // namespace lockstep
