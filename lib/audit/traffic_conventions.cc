// Bandwidth, utilisation and traffic: bytes over a communication time, for all ways in which people count bytes.
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"
#include "lib/audit/left_over.h"
#include "lib/audit/printed_volume.h"
#include "lib/audit/traffic_choices.h"
#include "lib/audit/traffic_inputs.h"

namespace lockstep {
namespace {

// A value from all digits, and the same value from intermediates as printed.
struct Chain {
  double exact = 1;
  double from_printed = 1;
  std::vector<const Cell*> inputs;

  void Multiply(double factor) {
    exact *= factor;
    from_printed *= factor;
  }

  // Continues with the number that the document prints for this intermediate, and returns true, if there is such a
  // number. Traffic of one iteration has no batch.
  bool TakePrinted(const Sources& printed, const TablePlace& place) {
    for (const Source& source : printed) {
      for (const uint64_t batch : {place.batch, uint64_t{0}}) {
        const Cell* cell = source.At(place.devices, batch);
        if (cell != nullptr && RoundsTo(exact, cell->printed)) {
          from_printed = cell->printed.value;
          inputs.push_back(cell);
          return true;
        }
      }
    }
    return false;
  }
};

// Returns the volume that a device sends in `iterations`, in the printed unit.
Chain Volume(double elements, double unit_per_element, double iterations, const TrafficInputs& inputs,
             const TablePlace& place) {
  Chain chain;
  chain.Multiply(elements);
  chain.TakePrinted(inputs.elements, place);
  Chain one = chain;
  one.Multiply(unit_per_element);
  if (one.TakePrinted(inputs.gigabytes, place)) {
    one.Multiply(iterations);
    return one;
  }
  chain.Multiply(iterations);
  chain.TakePrinted(inputs.elements, place);
  chain.Multiply(unit_per_element);
  chain.TakePrinted(inputs.gigabytes, place);
  return chain;
}

// Parts of a formula. All are multiplied, except `unit`, which divides.
struct Parts {
  const Choice* factor;
  const Choice* item;
  const Choice* count;
  const Choice* iterations;
  const Choice* unit;
};

Convention Describe(const Parts& parts, const Document& document) {
  Convention convention;
  for (const Choice* choice : {parts.factor, parts.item, parts.count, parts.iterations}) {
    AddFactor(*choice, convention);
  }
  AddChoice(*parts.unit, convention);
  for (const Choice* choice : {parts.factor, parts.item, parts.count, parts.iterations, parts.unit}) {
    absl::StrAppend(&convention.meaning, MeaningOf(*choice), "; ");
  }
  if (document.tables().claims().mode() == "DP") {
    convention.note =
        "DataParallel gathers on one device and scatters from it: this is what an all-reduce would send, not what was "
        "sent.";
  }
  return convention;
}

Convention MakeTraffic(const Parts& parts, const SharedInputs& inputs, const Document& document,
                       const LeftOver& left = kNothingLeft) {
  Convention convention = Describe(parts, document);
  absl::StrAppend(&convention.text, " / T_comm",
                  parts.unit->text == "peak" ? " / peak" : absl::StrCat(", ", parts.unit->text), ", ", inputs->text);
  NameLeftOver(left, convention);
  convention.evaluate = [factor = parts.factor->factor, item = parts.item->factor, count = parts.count->factor,
                         iterations = parts.iterations->factor, unit = parts.unit->factor, inputs,
                         left](const TablePlace& place) -> std::optional<Recomputed> {
    const std::optional<Recomputed> seconds = inputs->seconds(left.Place(left.seconds, place));
    if (!seconds.has_value() || seconds->exact == 0 || seconds->from_printed == 0 || place.batch == 0) {
      return std::nullopt;
    }
    const TablePlace sent_by = left.Place(left.factor, place);
    Chain volume = Volume(factor(sent_by) * count(place), item(place) / unit(place),
                          iterations(left.Place(left.iterations, place)), *inputs, sent_by);
    volume.inputs.insert(volume.inputs.begin(), seconds->inputs.begin(), seconds->inputs.end());
    const double value = volume.exact / seconds->exact, least = std::abs(seconds->exact) - seconds->slack;
    // If the time may be 0, the value may be anything; the slack is 0 then.
    Recomputed recomputed = {value, volume.from_printed / seconds->from_printed, std::move(volume.inputs),
                             least > 0 ? std::abs(value) * seconds->slack / least : 0};
    if (left.devices > 0) {
      MarkOtherDevices(left.devices, place, recomputed);
    }
    return recomputed;
  };
  return convention;
}

// Returns a convention for traffic that is itself printed, per iteration or per epoch. No time enters it.
Convention MakeVolume(const Parts& parts, const SharedInputs& inputs, const Document& document) {
  Convention convention = Describe(parts, document);
  absl::StrAppend(&convention.text, parts.unit->text.empty() ? "" : ", ", parts.unit->text);
  convention.evaluate = [factor = parts.factor->factor, item = parts.item->factor, count = parts.count->factor,
                         iterations = parts.iterations->factor, unit = parts.unit->factor,
                         inputs](const TablePlace& place) -> std::optional<Recomputed> {
    const double iterations_here = iterations(place);
    if (!std::isfinite(iterations_here)) {
      return std::nullopt;  // traffic of an epoch, but the document states no batch
    }
    const Chain chain =
        Volume(factor(place) * count(place), item(place) / unit(place), iterations_here, *inputs, place);
    return Recomputed{chain.exact, chain.from_printed, chain.inputs};
  };
  return convention;
}

// Returns a convention for a utilisation from the document's own bandwidth column.
Convention MakeShareOfPeak(const Source& bandwidth, const Choice& gigabyte, double peak) {
  Convention convention;
  convention.text = absl::StrCat("bandwidth / peak, ", gigabyte.text, ", bandwidth of ", bandwidth.name);
  convention.departures = 1 + gigabyte.departures;
  convention.contradictions = gigabyte.contradicts;
  convention.evaluate = [&bandwidth, unit = gigabyte.factor,
                         peak](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell* printed = bandwidth.At(place.devices, place.batch);
    if (printed == nullptr) {
      return std::nullopt;
    }
    const double percent = 100 * unit(place) / peak;
    return Recomputed{
        percent * printed->Exact(), percent * printed->printed.value, {printed}, percent * printed->Slack()};
  };
  return convention;
}

// Calls `make` for every combination of `factors` and the other choices.
template <typename Make>
void ForAllFactors(const std::vector<Choice>& factors, const std::vector<Choice>& items,
                   const std::vector<Choice>& counts, const std::vector<Choice>& iterations,
                   const std::vector<Choice>& units, Make make) {
  for (const Choice& unit : units) {
    for (const Choice& factor : factors) {
      for (const Choice& item : items) {
        for (const Choice& count : counts) {
          for (const Choice& iteration : iterations) {
            make(Parts{&factor, &item, &count, &iteration, &unit});
          }
        }
      }
    }
  }
}

// Calls `make` for every combination of the all-reduce factors and the given choices.
template <typename Make>
void ForAllParts(const std::vector<Choice>& items, const std::vector<Choice>& counts,
                 const std::vector<Choice>& iterations, const std::vector<Choice>& units, Make make) {
  ForAllFactors(AllReduceFactors(), items, counts, iterations, units, make);
}

Choice Nothing() {
  return {"", 0, {}, [](const TablePlace&) { return 1.0; }};
}

// Returns conventions for values printed as a bandwidth although no time, or not even bytes, entered them. They are far
// from every plain reading, so that a coincidence does not make them believed.
std::vector<Convention> NoBandwidths(const Document& document) {
  constexpr int kFarOff = 6;  // more than the departures of any formula with bytes, a time and one slip
  std::vector<Convention> conventions;
  const auto nothing_printed = std::make_shared<const TrafficInputs>();
  const auto add = [&](const Parts& parts) {
    conventions.push_back(MakeVolume(parts, nothing_printed, document));
    conventions.back().departures += kFarOff;
    conventions.back().flags.emplace_back(kNotDividedByTime);
  };
  const Choice batch = {
      "B", 0, {kBatchCountedAsBytes}, [](const TablePlace& p) { return static_cast<double>(p.batch); }};
  ForAllParts({Nothing()}, {batch}, {Nothing()}, {Nothing()}, add);
  ForAllParts(ItemSizes(), ParameterCounts(document), {Nothing()}, Gigabytes(document.tables().claims()), add);
  return conventions;
}

std::vector<Convention> VolumeConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  const bool elements = quantity == proto::TRAFFIC_ELEMENTS;
  TrafficInputs printed;
  if (!elements) {
    printed.elements = document.SourcesFor({proto::TRAFFIC_ELEMENTS}, table);
  }
  const auto inputs = std::make_shared<const TrafficInputs>(std::move(printed));
  std::vector<Choice> iterations = Iterations(document);
  iterations.back().flags.clear();  // traffic of one iteration needs no factor, so none is forgotten
  std::vector<Convention> conventions;
  ForAllParts(elements ? std::vector<Choice>{Nothing()} : ItemSizes(), ParameterCounts(document), iterations,
              elements ? std::vector<Choice>{Nothing()} : Gigabytes(document.tables().claims()),
              [&](const Parts& parts) { conventions.push_back(MakeVolume(parts, inputs, document)); });
  return conventions;
}

// Returns conventions for volumes in MB or MiB. A volume of one iteration is as plain as the volume of an epoch.
std::vector<Convention> MegabyteConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  TrafficInputs printed;
  printed.elements = document.SourcesFor({proto::TRAFFIC_ELEMENTS}, table);
  const auto inputs = std::make_shared<const TrafficInputs>(std::move(printed));
  std::vector<Choice> iterations = Iterations(document);
  iterations.back().flags.clear();
  iterations.back().departures = 0;
  std::vector<Convention> conventions;
  ForAllFactors(AllReduceFactorsOfVolume(), ItemSizes(), ParameterCounts(document), iterations,
                Megabytes(quantity == proto::TRAFFIC_MEBIBYTES),
                [&](const Parts& parts) { conventions.push_back(MakeVolume(parts, inputs, document)); });
  return conventions;
}

// Adds formulas, right up to their unit, in which one part belongs to another number of devices.
void AddLeftOvers(const Document& document, const SharedInputs& inputs, const std::vector<Choice>& units,
                  std::vector<Convention>& conventions) {
  constexpr int kPlain = 1;
  const std::vector<LeftOver> left_overs = LeftOversOf(document);
  const auto add = [&](const Parts& parts) {
    const Convention right = MakeTraffic(parts, inputs, document);
    const bool is_unit_slip = IsUnitSlip(right.flags);
    if ((!right.flags.empty() && !is_unit_slip) || right.departures > kPlain) {
      return;
    }
    for (const LeftOver& left : left_overs) {
      conventions.push_back(MakeTraffic(parts, inputs, document, left));
      conventions.back().departures += is_unit_slip ? kSecondSlipDepartures : 0;
    }
  };
  ForAllParts(ItemSizes(), ParameterCounts(document), Iterations(document), units, add);
}

}  // namespace

std::vector<Convention> TrafficConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  if (quantity == proto::TRAFFIC_ELEMENTS || quantity == proto::TRAFFIC_GIGABYTES) {
    return VolumeConventions(document, quantity, table);
  }
  if (quantity == proto::TRAFFIC_MEGABYTES || quantity == proto::TRAFFIC_MEBIBYTES) {
    return MegabyteConventions(document, quantity, table);
  }
  const proto::Claims& claims = document.tables().claims();
  const bool utilisation = quantity == proto::UTILIZATION_PERCENT;
  std::vector<Convention> conventions;
  if (utilisation && claims.peak_bytes_per_second() <= 0) {
    return conventions;  // the document states no peak
  }
  const std::vector<Choice> units = utilisation ? ShareOfPeak(claims) : Gigabytes(claims);
  for (const SharedInputs& inputs : AllTrafficInputs(document, quantity, table)) {
    ForAllParts(ItemSizes(), ParameterCounts(document), Iterations(document), units,
                [&](const Parts& parts) { conventions.push_back(MakeTraffic(parts, inputs, document)); });
    AddLeftOvers(document, inputs, units, conventions);
    if (!utilisation) {
      AddFromPrintedVolumes(document, inputs, conventions);
      AddFromPrintedMegabytes(document, inputs, conventions);
    }
  }
  if (!utilisation) {
    const std::vector<Convention> none = NoBandwidths(document);
    conventions.insert(conventions.end(), none.begin(), none.end());
    return conventions;
  }
  for (const Source& bandwidth : document.SourcesFor({proto::BANDWIDTH_GIGABYTES_PER_SECOND}, table)) {
    for (const Choice& gigabyte : Gigabytes(claims)) {
      conventions.push_back(MakeShareOfPeak(bandwidth, gigabyte, claims.peak_bytes_per_second()));
    }
  }
  return conventions;
}

}  // namespace lockstep
