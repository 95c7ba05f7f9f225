// Bandwidth and utilisation: bytes over a communication time, in all the ways in which people count bytes.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kGibibyte = 1073741824;  // 2^30
constexpr double kFloatBytes = 4;

// One way to choose one part of the formula.
struct Choice {
  std::string text;  // as it stands in the formula; empty: a factor of 1 that is not written
  int departures = 0;
  std::string flag;  // empty: nothing wrong with it
  std::function<double(const Place&)> factor;
  bool contradicts = false;  // something that the document states
};

std::function<double(const Place&)> Constant(double value) {
  return [value](const Place&) { return value; };
}

std::vector<Choice> AllReduceFactors() {
  return {{"2(N-1)/N", 0, "", [](const Place& p) { return 2.0 * (p.devices - 1.0) / p.devices; }},
          {"", 1, kAllReduceFactorMissing, Constant(1)}};
}

// Gradient elements: what the document states, then the nets that this lab is done with. Sources: 11,173,962 ResNet-18
// for CIFAR-10 (counted by lib/nn's test); 11,689,512 torchvision's resnet18, 1000 classes; 11,181,642 the same
// with 10.
std::vector<Choice> ParameterCounts(const proto::Claims& claims) {
  double claimed = static_cast<double>(claims.parameter_count());
  if (claimed == 0 && claims.gradient_bytes() != 0) {
    claimed = static_cast<double>(claims.gradient_bytes()) / kFloatBytes;
  }
  std::vector<Choice> counts;
  if (claimed > 0) {
    const std::string from_bytes =
        claims.parameter_count() == 0 ? absl::StrCat(" (M = ", claims.gradient_bytes(), " bytes)") : "";
    counts.push_back({absl::StrCat("X = ", static_cast<uint64_t>(claimed), from_bytes), 0, "", Constant(claimed)});
  }
  for (uint64_t known : {11'173'962, 11'689'512, 11'181'642}) {
    if (static_cast<double>(known) != claimed) {
      counts.push_back({absl::StrCat("X = ", known), claimed > 0 ? 1 : 0, claimed > 0 ? kOtherParameterCount : "",
                        Constant(static_cast<double>(known)), claimed > 0});
    }
  }
  return counts;
}

std::vector<Choice> ItemSizes() {
  return {{"4 bytes", 0, "", Constant(kFloatBytes)}, {"", 1, kElementsNotBytes, Constant(1)}};
}

// Iterations of an epoch on N devices, as a quotient and as the whole number that a loader makes of it.
std::vector<Choice> Iterations(double images, const std::string& batch_meaning) {
  if (images == 0) {
    return {{"1 iteration", 0, kIterationsForgotten, Constant(1)}};
  }
  const bool total = batch_meaning == "total";
  const auto shared = [images](const Place& p) { return images / (double{1} * p.batch * p.devices); };
  const auto by_batch = [images](const Place& p) { return images / p.batch; };
  const Choice per_device = {"images/(B*N)", total ? 1 : 0, total ? kTotalBatchTakenPerDevice : "", shared, total};
  const Choice whole = {"images/B", total ? 0 : 1, total ? "" : kIterationsNotDividedByN, by_batch,
                        batch_meaning == "per_device"};
  const auto rounded = [](Choice choice, const char* name, int departures, auto round) {
    choice.text = absl::StrCat(name, "(", choice.text, ")");
    choice.departures += departures;
    choice.factor = [quotient = choice.factor, round](const Place& p) { return round(quotient(p)); };
    return choice;
  };
  const auto up = [](double x) { return std::ceil(x); };
  const auto down = [](double x) { return std::floor(x); };
  return {per_device,
          rounded(per_device, "ceil", 0, up),
          rounded(per_device, "floor", 1, down),
          whole,
          rounded(whole, "ceil", 0, up),
          rounded(whole, "floor", 1, down),
          {"1 iteration", 1, kIterationsForgotten, Constant(1)}};
}

// What the printed unit is. A utilisation has none: percent of the stated peak.
std::vector<Choice> Units(proto::PublishedQuantity quantity, const proto::Claims& claims) {
  if (quantity == proto::UTILIZATION_PERCENT) {
    return {{"peak", 0, "", Constant(claims.peak_bytes_per_second() / 100)}};
  }
  const bool claims_gib = claims.bytes_per_gigabyte() == kGibibyte,
             claims_gb = claims.bytes_per_gigabyte() == kGigabyte;
  return {{"GB = 1e9", claims_gib ? 1 : 0, claims_gib ? kTextClaimsGibPrintsGb : "", Constant(kGigabyte), claims_gib},
          {"GB = 2^30", claims_gib ? 0 : 1, kGibAsGb, Constant(kGibibyte), claims_gb}};
}

Convention MakeTraffic(const std::vector<const Choice*>& factors, const Choice& unit, const Source& communication) {
  Convention convention;
  std::string product;
  std::vector<std::function<double(const Place&)>> multiply;
  for (const Choice* choice : factors) {
    absl::StrAppend(&product, product.empty() || choice->text.empty() ? "" : " * ", choice->text);
    multiply.push_back(choice->factor);
  }
  std::vector<const Choice*> all = factors;
  all.push_back(&unit);
  for (const Choice* choice : all) {
    convention.departures += choice->departures;
    convention.contradictions += choice->contradicts;
    if (!choice->flag.empty()) {
      convention.flags.push_back(choice->flag);
    }
  }
  convention.text = absl::StrCat(product, " / T_comm", unit.text == "peak" ? " / peak" : absl::StrCat(", ", unit.text),
                                 ", T_comm of ", communication.name);
  convention.evaluate = [multiply, divide = unit.factor,
                         communication](const Place& place) -> std::optional<Recomputed> {
    const Cell* t_comm = communication.At(place.devices, place.batch);
    if (t_comm == nullptr || t_comm->printed.value == 0 || t_comm->Exact() == 0) {
      return std::nullopt;
    }
    double moved = 1 / divide(place);
    for (const auto& factor : multiply) {
      moved *= factor(place);
    }
    return Recomputed{moved / t_comm->Exact(), moved / t_comm->printed.value, {t_comm}};
  };
  return convention;
}

// A utilisation made of the document's own bandwidth column.
Convention MakeShareOfPeak(const Source& bandwidth, const Choice& gigabyte, double peak) {
  Convention convention;
  convention.text = absl::StrCat("bandwidth / peak, ", gigabyte.text, ", bandwidth of ", bandwidth.name);
  convention.departures = 1 + gigabyte.departures;
  convention.contradictions = gigabyte.contradicts;
  convention.evaluate = [bandwidth, unit = gigabyte.factor, peak](const Place& place) -> std::optional<Recomputed> {
    const Cell* printed = bandwidth.At(place.devices, place.batch);
    if (printed == nullptr) {
      return std::nullopt;
    }
    const double percent = 100 * unit(place) / peak;
    return Recomputed{percent * printed->Exact(), percent * printed->printed.value, {printed}};
  };
  return convention;
}

}  // namespace

std::vector<Convention> TrafficConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  const proto::Claims& claims = document.tables().claims();
  std::vector<Convention> conventions;
  if (quantity == proto::UTILIZATION_PERCENT && claims.peak_bytes_per_second() <= 0) {
    return conventions;  // of what? The document states no peak.
  }
  const std::vector<Choice> units = Units(quantity, claims), factors = AllReduceFactors(), items = ItemSizes(),
                            counts = ParameterCounts(claims),
                            iterations = Iterations(document.ImagesPerEpoch(), claims.batch());
  for (const Source& communication : document.Sources({proto::COMMUNICATION_SECONDS}, table)) {
    for (const Choice& unit : units) {
      for (const Choice& factor : factors) {
        for (const Choice& item : items) {
          for (const Choice& count : counts) {
            for (const Choice& iteration : iterations) {
              conventions.push_back(MakeTraffic({&factor, &item, &count, &iteration}, unit, communication));
            }
          }
        }
      }
    }
  }
  if (quantity == proto::UTILIZATION_PERCENT) {
    for (const Source& bandwidth : document.Sources({proto::BANDWIDTH_GIGABYTES_PER_SECOND}, table)) {
      for (const Choice& gigabyte : Units(proto::BANDWIDTH_GIGABYTES_PER_SECOND, claims)) {
        conventions.push_back(MakeShareOfPeak(bandwidth, gigabyte, claims.peak_bytes_per_second()));
      }
    }
  }
  return conventions;
}

}  // namespace lockstep
