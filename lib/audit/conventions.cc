#include "lib/audit/conventions.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// Returns the same formula with N replaced by one number of devices throughout.
Convention WithDevices(const Convention& right, uint32_t devices) {
  Convention convention = right;
  absl::StrAppend(&convention.text, ", N = ", devices, " throughout");
  convention.meaning = absl::StrCat(MeaningOf(right), ", N = ", devices);
  convention.departures += kOfOtherDevicesDepartures;
  convention.note.clear();
  convention.evaluate = [evaluate = right.evaluate, devices](const TablePlace& place) {
    std::optional<Recomputed> recomputed = evaluate({devices, place.batch});
    if (recomputed.has_value()) {
      MarkOtherDevices(devices, place, *recomputed);
    }
    return recomputed;
  };
  return convention;
}

// Adds, for every plain formula that is right up to its unit, the variants in which another number of devices was left.
void AddOtherDevices(const Document& document, std::vector<Convention>& conventions) {
  constexpr int kPlain = 1;
  const size_t right = conventions.size();
  for (const uint32_t devices : document.SeveralDevices()) {
    for (size_t i = 0; i < right; ++i) {
      const bool is_unit_slip = IsUnitSlip(conventions[i].flags);
      if ((conventions[i].flags.empty() || is_unit_slip) && conventions[i].departures <= kPlain) {
        conventions.push_back(WithDevices(conventions[i], devices));
        conventions.back().departures += is_unit_slip ? kSecondSlipDepartures : 0;
      }
    }
  }
}

void Append(const std::vector<Convention>& more, std::vector<Convention>& conventions) {
  conventions.insert(conventions.end(), more.begin(), more.end());
}

}  // namespace

bool IsUnitSlip(const std::vector<std::string>& flags) {
  constexpr const char* kUnitSlips[] = {kGibAsGb, kTextClaimsGibPrintsGb, kMibAsMb, kMbAsMib};
  return flags.size() == 1 && std::find(std::begin(kUnitSlips), std::end(kUnitSlips), flags[0]) != std::end(kUnitSlips);
}

std::string MeaningOf(const Convention& convention) {
  return convention.meaning.empty() ? convention.text.substr(0, convention.text.find(", ")) : convention.meaning;
}

void MarkOtherDevices(uint32_t devices, const TablePlace& place, Recomputed& recomputed) {
  if (devices != place.devices) {
    recomputed.flags.emplace_back(kOfOtherDevices);
  }
}

std::string SourceText(const std::string& base, const std::string& base_name, const std::string& n,
                       const std::string& n_name) {
  return base_name == n_name ? absl::StrCat("times of ", base_name)
                             : absl::StrCat(base, " of ", base_name, ", ", n, " of ", n_name);
}

std::vector<Convention> ConventionsFor(const Document& document, proto::PublishedQuantity quantity, int table,
                                       const DeclaredBase& base, absl::string_view context) {
  std::vector<Convention> conventions;
  switch (quantity) {
    case proto::EPOCH_SECONDS:
    case proto::STEP_SECONDS:
    case proto::ITERATION_SECONDS:
      conventions = PhaseConventions(document, quantity, table, context);
      if (quantity == proto::ITERATION_SECONDS) {
        Append(IterationTimeConventions(document, table, context), conventions);
      }
      break;
    case proto::SPEEDUP:
    case proto::SPEEDUP_PERCENT:
      conventions = SpeedupConventions(document, quantity, table, base, context);
      if (quantity == proto::SPEEDUP) {
        Append(LostDigitSpeedups(document, table, base, context), conventions);
      }
      break;
    case proto::RUN_SECONDS:
      conventions = RunTimeConventions(document, table, context);
      break;
    case proto::IDEAL_ITEMS_PER_SECOND:
    case proto::IDEAL_SPEEDUP:
    case proto::IDEAL_EPOCH_SECONDS:
      conventions = IdealConventions(document, quantity, table, base, context);
      break;
    case proto::EFFICIENCY_PERCENT:
      conventions = EfficiencyConventions(document, table, base, context);
      break;
    case proto::ITEMS_PER_SECOND:
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
      conventions = RateConventions(document, quantity, table, context);
      break;
    case proto::COMPUTE_SECONDS:
    case proto::COMMUNICATION_SECONDS:
      conventions = SplitConventions(document, quantity, table);
      break;
    case proto::BANDWIDTH_GIGABYTES_PER_SECOND:
    case proto::UTILIZATION_PERCENT:
    case proto::TRAFFIC_ELEMENTS:
    case proto::TRAFFIC_GIGABYTES:
    case proto::TRAFFIC_MEGABYTES:
    case proto::TRAFFIC_MEBIBYTES:
      conventions = TrafficConventions(document, quantity, table);
      break;
    case proto::COMMUNICATION_PERCENT:
    case proto::COMMUNICATION_FRACTION:
    case proto::COMPUTE_OVER_COMMUNICATION:
      conventions = ShareConventions(document, quantity, table, context);
      break;
    case proto::SERIAL_FRACTION:
    case proto::SERIAL_PERCENT:
    case proto::AMDAHL_SPEEDUP:
    case proto::GUSTAFSON_SPEEDUP:
      conventions = SerialConventions(document, quantity, table, base, context);
      break;
    case proto::EPOCH_JOULES:
    case proto::RUN_JOULES:
    case proto::ITEM_JOULES:
    case proto::ENERGY_RATIO:
      conventions = EnergyConventions(document, quantity, table, base, context);
      break;
    case proto::LEARNING_RATE:
      conventions = LearningRateConventions(document, table, base, context);
      break;
    case proto::ITERATIONS:
      conventions = IterationConventions(document);
      break;
    default:
      break;
  }
  if (quantity != proto::LEARNING_RATE) {  // the rate of a base case is chosen: no other number gives it
    AddOtherDevices(document, conventions);
  }
  std::stable_sort(conventions.begin(), conventions.end(),
                   [](const Convention& a, const Convention& b) { return a.departures < b.departures; });
  return conventions;
}

}  // namespace lockstep
