// Bandwidth, utilisation, and the traffic itself: bytes over a communication time, in all the ways in which people
// count bytes.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"
#include "lib/audit/traffic_choices.h"

namespace lockstep {
namespace {

// A value with all its digits, and as it comes out of intermediates as printed.
struct Chain {
  double exact = 1;
  double from_printed = 1;
  std::vector<const Cell*> inputs;

  void Multiply(double factor) {
    exact *= factor;
    from_printed *= factor;
  }

  // Goes on from the number that the document prints for this very intermediate, if it does. Traffic of one iteration
  // has no batch.
  bool TakePrinted(const std::vector<Source>& printed, const TablePlace& place) {
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

// Where the seconds come from, and what the document prints on the way.
struct Inputs {
  std::string text;
  std::function<std::optional<Recomputed>(const TablePlace&)> seconds;
  std::vector<Source> elements;
  std::vector<Source> gigabytes;
};

// What a device sends in `iterations`, in the printed unit.
Chain Volume(double elements, double unit_per_element, double iterations, const Inputs& inputs,
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

// The parts of a formula, multiplied; the last one divides.
struct Parts {
  const Choice* factor;
  const Choice* item;
  const Choice* count;
  const Choice* iterations;
  const Choice* unit;
};

void AddPart(const Choice& choice, bool multiplies, Convention& convention) {
  if (multiplies && !choice.text.empty()) {
    absl::StrAppend(&convention.text, convention.text.empty() ? "" : " * ", choice.text);
  }
  convention.departures += choice.departures;
  convention.contradictions += choice.contradicts;
  convention.flags.insert(convention.flags.end(), choice.flags.begin(), choice.flags.end());
}

Convention Describe(const Parts& parts, const Document& document) {
  Convention convention;
  for (const Choice* choice : {parts.factor, parts.item, parts.count, parts.iterations}) {
    AddPart(*choice, true, convention);
  }
  AddPart(*parts.unit, false, convention);
  if (document.tables().claims().mode() == "DP") {
    convention.note =
        "DataParallel gathers on one device and scatters from it: this is what an all-reduce would send, not what was "
        "sent.";
  }
  return convention;
}

// Which parts of a formula were left standing as they are for another number of devices.
struct LeftOver {
  const char* text;
  bool factor;
  bool iterations;
  bool seconds;
  uint32_t devices = 0;

  TablePlace Place(bool left, const TablePlace& place) const { return left ? TablePlace{devices, place.batch} : place; }
};

constexpr LeftOver kNothingLeft = {"", false, false, false};
constexpr LeftOver kLeftOvers[] = {{"2(N-1)/N and iterations", true, true, false},
                                   {"2(N-1)/N", true, false, false},
                                   {"iterations", false, true, false},
                                   {"T_comm", false, false, true}};

void NameLeftOver(const LeftOver& left, Convention& convention) {
  if (left.devices > 0) {
    absl::StrAppend(&convention.text, ", N = ", left.devices, " in ", left.text);
    convention.departures += kOfOtherDevicesDepartures;
    convention.note.clear();
  }
}

Convention MakeTraffic(const Parts& parts, const Inputs& inputs, const Document& document,
                       const LeftOver& left = kNothingLeft) {
  Convention convention = Describe(parts, document);
  absl::StrAppend(&convention.text, " / T_comm",
                  parts.unit->text == "peak" ? " / peak" : absl::StrCat(", ", parts.unit->text), ", ", inputs.text);
  NameLeftOver(left, convention);
  convention.evaluate = [factor = parts.factor->factor, item = parts.item->factor, count = parts.count->factor,
                         iterations = parts.iterations->factor, unit = parts.unit->factor, inputs,
                         left](const TablePlace& place) -> std::optional<Recomputed> {
    const std::optional<Recomputed> seconds = inputs.seconds(left.Place(left.seconds, place));
    if (!seconds.has_value() || seconds->exact == 0 || seconds->from_printed == 0 || place.batch == 0) {
      return std::nullopt;
    }
    const TablePlace sent_by = left.Place(left.factor, place);
    Chain volume = Volume(factor(sent_by) * count(place), item(place) / unit(place),
                          iterations(left.Place(left.iterations, place)), inputs, sent_by);
    volume.inputs.insert(volume.inputs.begin(), seconds->inputs.begin(), seconds->inputs.end());
    const double value = volume.exact / seconds->exact, least = std::abs(seconds->exact) - seconds->slack;
    // With a time that may be 0 the value may be anything: no room is given then.
    Recomputed recomputed = {value, volume.from_printed / seconds->from_printed, std::move(volume.inputs),
                             least > 0 ? std::abs(value) * seconds->slack / least : 0};
    if (left.devices > 0) {
      MarkOtherDevices(left.devices, place, recomputed);
    }
    return recomputed;
  };
  return convention;
}

// The number that a column of traffic prints for this place: of an iteration when it has no batch.
const Cell* VolumeAt(const Source& volume, const TablePlace& place) {
  const Cell* epoch = volume.At(place.devices, place.batch);
  return epoch != nullptr ? epoch : volume.At(place.devices, 0);
}

// A bandwidth made of a volume in GB just as it is printed, however that came about.
Convention MakeFromPrintedVolume(const Source& volume, const Choice& iterations, const Inputs& inputs,
                                 const LeftOver& left) {
  Convention convention;
  convention.text = absl::StrCat("volume of ", volume.name, " as printed");
  convention.departures = 1;
  AddPart(iterations, true, convention);
  absl::StrAppend(&convention.text, " / T_comm, ", inputs.text);
  NameLeftOver(left, convention);
  convention.evaluate = [volume, iterations = iterations.factor, inputs,
                         left](const TablePlace& place) -> std::optional<Recomputed> {
    const std::optional<Recomputed> seconds = inputs.seconds(left.Place(left.seconds, place));
    const Cell* sent = VolumeAt(volume, left.Place(left.factor, place));
    if (!seconds.has_value() || sent == nullptr || seconds->exact == 0 || seconds->from_printed == 0) {
      return std::nullopt;
    }
    const double times = sent->value->batch() == 0 ? iterations(left.Place(left.iterations, place)) : 1;
    const double gigabytes = sent->printed.value * times;
    std::vector<const Cell*> made_of = seconds->inputs;
    made_of.push_back(sent);
    Recomputed recomputed = {gigabytes / seconds->exact, gigabytes / seconds->from_printed, std::move(made_of)};
    if (left.devices > 0) {
      MarkOtherDevices(left.devices, place, recomputed);
    }
    if (sent->Exact() != sent->printed.value) {
      recomputed.flags.push_back(kRoundedIntermediates);
    }
    return recomputed;
  };
  return convention;
}

void AddFromPrintedVolumes(const Document& document, const Inputs& inputs, std::vector<Convention>& conventions) {
  for (const Source& volume : inputs.gigabytes) {
    for (const Choice& iterations : Iterations(document)) {
      conventions.push_back(MakeFromPrintedVolume(volume, iterations, inputs, kNothingLeft));
      for (const uint32_t devices : document.SeveralDevices()) {
        for (LeftOver left : kLeftOvers) {
          left.devices = devices;
          if (iterations.flags.empty()) {
            conventions.push_back(MakeFromPrintedVolume(volume, iterations, inputs, left));
          }
        }
      }
    }
  }
}

// Traffic that is itself printed, in an iteration or an epoch: no time goes into it.
Convention MakeVolume(const Parts& parts, const Inputs& inputs, const Document& document) {
  Convention convention = Describe(parts, document);
  absl::StrAppend(&convention.text, parts.unit->text.empty() ? "" : ", ", parts.unit->text);
  convention.evaluate = [factor = parts.factor->factor, item = parts.item->factor, count = parts.count->factor,
                         iterations = parts.iterations->factor, unit = parts.unit->factor,
                         inputs](const TablePlace& place) -> std::optional<Recomputed> {
    const double iterations_here = iterations(place);
    if (!std::isfinite(iterations_here)) {
      return std::nullopt;  // of an epoch, and no batch is said
    }
    const Chain chain = Volume(factor(place) * count(place), item(place) / unit(place), iterations_here, inputs, place);
    return Recomputed{chain.exact, chain.from_printed, chain.inputs};
  };
  return convention;
}

// A utilisation made of the document's own bandwidth column.
Convention MakeShareOfPeak(const Source& bandwidth, const Choice& gigabyte, double peak) {
  Convention convention;
  convention.text = absl::StrCat("bandwidth / peak, ", gigabyte.text, ", bandwidth of ", bandwidth.name);
  convention.departures = 1 + gigabyte.departures;
  convention.contradictions = gigabyte.contradicts;
  convention.evaluate = [bandwidth, unit = gigabyte.factor,
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

Inputs CommunicationColumn(const Source& communication) {
  return {absl::StrCat("T_comm of ", communication.name),
          [communication](const TablePlace& place) -> std::optional<Recomputed> {
            const Cell* cell = communication.At(place.devices, place.batch);
            if (cell == nullptr) {
              return std::nullopt;
            }
            return Recomputed{cell->Exact(), cell->printed.value, {cell}, cell->Slack()};
          },
          {},
          {}};
}

// For a document that prints times and bandwidths, and not every communication time between them.
Inputs CommunicationFromTimes(const Source& times) {
  return {absl::StrCat("T_comm = T_N - T_1/N, times of ", times.name),
          [times](const TablePlace& place) -> std::optional<Recomputed> {
            const Cell *t_n = times.At(place.devices, place.batch), *t_1 = times.At(1, place.batch);
            if (t_n == nullptr || t_1 == nullptr) {
              return std::nullopt;
            }
            const double value = t_n->Exact() - t_1->Exact() / place.devices;
            return Recomputed{value, value, {t_n, t_1}, t_n->Slack() + t_1->Slack() / place.devices};
          },
          {},
          {}};
}

// Whether some number of `quantity` in `table` stands where the document prints no communication time.
bool LacksCommunication(const Document& document, proto::PublishedQuantity quantity, int table,
                        const std::vector<Source>& communications) {
  return std::any_of(document.cells().begin(), document.cells().end(), [&](const Cell& cell) {
    return cell.table == table && cell.value->quantity() == quantity &&
           std::none_of(communications.begin(), communications.end(), [&](const Source& communication) {
             return communication.At(cell.value->devices(), cell.value->batch()) != nullptr;
           });
  });
}

std::vector<Inputs> AllInputs(const Document& document, proto::PublishedQuantity quantity, int table) {
  std::vector<Inputs> all;
  const std::vector<Source> communications = document.Sources({proto::COMMUNICATION_SECONDS}, table);
  for (const Source& communication : communications) {
    all.push_back(CommunicationColumn(communication));
  }
  if (LacksCommunication(document, quantity, table, communications)) {
    for (const Source& times : document.Times(table)) {
      all.push_back(CommunicationFromTimes(times));
    }
  }
  for (Inputs& inputs : all) {
    inputs.elements = document.Sources({proto::TRAFFIC_ELEMENTS}, table);
    inputs.gigabytes = document.Sources({proto::TRAFFIC_GIGABYTES}, table);
  }
  return all;
}

// One choice for every part but those that vary.
template <typename Make>
void ForAllParts(const std::vector<Choice>& items, const std::vector<Choice>& counts,
                 const std::vector<Choice>& iterations, const std::vector<Choice>& units, Make make) {
  const std::vector<Choice> factors = AllReduceFactors();
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

Choice Nothing() {
  return {"", 0, {}, [](const TablePlace&) { return 1.0; }};
}

// What is printed as a bandwidth although no time, or not even bytes, went into it. Far from every plain reading, so
// that it is not taken for a coincidence's sake.
std::vector<Convention> NoBandwidths(const Document& document) {
  constexpr int kFarOff = 6;  // beyond the sum of the departures of any formula that has bytes and a time
  std::vector<Convention> conventions;
  const auto add = [&](const Parts& parts) {
    conventions.push_back(MakeVolume(parts, Inputs(), document));
    conventions.back().departures += kFarOff;
    conventions.back().flags.push_back(kNotDividedByTime);
  };
  const Choice batch = {
      "B", 0, {kBatchCountedAsBytes}, [](const TablePlace& p) { return static_cast<double>(p.batch); }};
  ForAllParts({Nothing()}, {batch}, {Nothing()}, {Nothing()}, add);
  ForAllParts(ItemSizes(), ParameterCounts(document), {Nothing()}, Gigabytes(document.tables().claims()), add);
  return conventions;
}

std::vector<Convention> VolumeConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  const bool elements = quantity == proto::TRAFFIC_ELEMENTS;
  Inputs inputs;
  if (!elements) {
    inputs.elements = document.Sources({proto::TRAFFIC_ELEMENTS}, table);
  }
  std::vector<Choice> iterations = Iterations(document);
  iterations.back().flags.clear();  // what one iteration sends is a number of its own, and nothing is forgotten
  std::vector<Convention> conventions;
  ForAllParts(elements ? std::vector<Choice>{Nothing()} : ItemSizes(), ParameterCounts(document), iterations,
              elements ? std::vector<Choice>{Nothing()} : Gigabytes(document.tables().claims()),
              [&](const Parts& parts) { conventions.push_back(MakeVolume(parts, inputs, document)); });
  return conventions;
}

// Formulas that are right but for a part of another number of devices.
void AddLeftOvers(const Document& document, const Inputs& inputs, const std::vector<Choice>& units,
                  std::vector<Convention>& conventions) {
  constexpr int kPlain = 1;
  const auto add = [&](const Parts& parts) {
    const Convention right = MakeTraffic(parts, inputs, document);
    if (!right.flags.empty() || right.departures > kPlain) {
      return;
    }
    for (const uint32_t devices : document.SeveralDevices()) {
      for (LeftOver left : kLeftOvers) {
        left.devices = devices;
        conventions.push_back(MakeTraffic(parts, inputs, document, left));
      }
    }
  };
  ForAllParts(ItemSizes(), ParameterCounts(document), Iterations(document), units, add);
}

}  // namespace

std::vector<Convention> TrafficConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  if (quantity == proto::TRAFFIC_ELEMENTS || quantity == proto::TRAFFIC_GIGABYTES) {
    return VolumeConventions(document, quantity, table);
  }
  const proto::Claims& claims = document.tables().claims();
  const bool utilisation = quantity == proto::UTILIZATION_PERCENT;
  std::vector<Convention> conventions;
  if (utilisation && claims.peak_bytes_per_second() <= 0) {
    return conventions;  // of what? The document states no peak.
  }
  const std::vector<Choice> units = utilisation ? ShareOfPeak(claims) : Gigabytes(claims);
  for (const Inputs& inputs : AllInputs(document, quantity, table)) {
    ForAllParts(ItemSizes(), ParameterCounts(document), Iterations(document), units,
                [&](const Parts& parts) { conventions.push_back(MakeTraffic(parts, inputs, document)); });
    AddLeftOvers(document, inputs, units, conventions);
    if (!utilisation) {
      AddFromPrintedVolumes(document, inputs, conventions);
    }
  }
  if (!utilisation) {
    const std::vector<Convention> none = NoBandwidths(document);
    conventions.insert(conventions.end(), none.begin(), none.end());
    return conventions;
  }
  for (const Source& bandwidth : document.Sources({proto::BANDWIDTH_GIGABYTES_PER_SECOND}, table)) {
    for (const Choice& gigabyte : Gigabytes(claims)) {
      conventions.push_back(MakeShareOfPeak(bandwidth, gigabyte, claims.peak_bytes_per_second()));
    }
  }
  return conventions;
}

}  // namespace lockstep
