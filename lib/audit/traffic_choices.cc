#include "lib/audit/traffic_choices.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kGibibyte = 1073741824;  // 2^30
constexpr double kMegabyte = 1e6;
constexpr double kMebibyte = 1048576;  // 2^20
constexpr double kFloatBytes = 4;

std::function<double(const TablePlace&)> Constant(double value) {
  return [value](const TablePlace&) { return value; };
}

// Returns the stated numbers of elements: the parameter count, and the count from the bytes, which may have been
// rounded.
std::vector<double> ClaimedElements(const proto::Claims& claims) {
  std::vector<double> claimed;
  for (const double count :
       {static_cast<double>(claims.parameter_count()), static_cast<double>(claims.gradient_bytes()) / kFloatBytes}) {
    if (count > 0) {
      claimed.push_back(count);
    }
  }
  return claimed;
}

bool Holds(const std::vector<double>& counts, double count) {
  return std::find(counts.begin(), counts.end(), count) != counts.end();
}

}  // namespace

std::vector<Choice> AllReduceFactors() {
  return {{"2(N-1)/N", 0, {}, [](const TablePlace& p) { return 2.0 * (p.devices - 1.0) / p.devices; }},
          {"", 1, {kAllReduceFactorMissing}, Constant(1)}};
}

std::vector<Choice> AllReduceFactorsOfVolume() {
  std::vector<Choice> factors = AllReduceFactors();
  factors.push_back({"2", 1, {kAllReduceFactorOfMany}, Constant(2)});
  return factors;
}

// Sources: ResNet-18 for CIFAR-10 has 11,173,962 parameters (counted by lib/nn's test); torchvision's resnet18 has
// 11,689,512 with 1000 classes and 11,181,642 with 10.
std::vector<Choice> ParameterCounts(const Document& document) {
  const proto::Claims& claims = document.tables().claims();
  const std::vector<double> claimed = ClaimedElements(claims);
  const double trained = static_cast<double>(document.tables().facts().parameter_count());
  std::vector<double> counts = claimed;
  counts.push_back(trained);
  counts.insert(counts.end(), {11'173'962, 11'689'512, 11'181'642});
  std::vector<Choice> choices;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double count = counts[i];
    if (count == 0 || std::find(counts.begin(), counts.begin() + i, count) != counts.begin() + i) {
      continue;
    }
    Choice choice = {absl::StrCat("X = ", static_cast<uint64_t>(count)), 0, {}, Constant(count)};
    const bool in_bytes = Holds(claimed, count) && count != static_cast<double>(claims.parameter_count());
    if (in_bytes) {
      choice.departures += claimed.size() > 1 ? 1 : 0;
      absl::StrAppend(&choice.text, " (M = ", claims.gradient_bytes(), " bytes)");
    }
    if (!claimed.empty() && !Holds(claimed, count)) {
      choice.departures += 1;
      choice.contradicts = true;
      choice.flags.push_back(kOtherParameterCount);
    }
    // A size in bytes next to a parameter count describes the same model, rounded.
    if (trained > 0 && count != trained && !(in_bytes && claimed.size() > 1)) {
      choice.flags.push_back(kNotTheTrainedModel);
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

std::vector<Choice> ItemSizes() {
  return {{"4 bytes", 0, {}, Constant(kFloatBytes)},
          {"", 1, {kElementsNotBytes}, Constant(1)},
          {"32 bits", 2, {kBitsNotBytes}, Constant(8 * kFloatBytes)}};
}

std::vector<Choice> Iterations(const Document& document) {
  const double images = document.ImagesPerEpoch();
  const Choice one = {"1 iteration", images == 0 ? 0 : 1, {kIterationsForgotten}, Constant(1)};
  if (images == 0) {
    return {one};
  }
  const bool total = document.BatchIsTotal();
  const std::string& claimed = document.tables().claims().batch();
  const auto shared = [images](const TablePlace& p) { return images / (static_cast<double>(p.batch) * p.devices); };
  const auto by_batch = [images](const TablePlace& p) { return images / static_cast<double>(p.batch); };
  Choice per_device = {"images/(B*N)", total ? 1 : 0, {}, shared, total && claimed != "per_device"};
  Choice whole = {"images/B", total ? 0 : 1, {}, by_batch, !total && claimed == "per_device"};
  if (total) {
    per_device.flags.push_back(kTotalBatchTakenPerDevice);
  } else {
    whole.flags.push_back(kIterationsNotDividedByN);
  }
  const auto rounded = [](Choice choice, const char* name, int departures, auto round) {
    choice.meaning = choice.text;  // a person does not distinguish 781.25 steps from 782
    choice.text = absl::StrCat(name, "(", choice.text, ")");
    choice.departures += departures;
    choice.factor = [quotient = choice.factor, round](const TablePlace& p) { return round(quotient(p)); };
    return choice;
  };
  const auto up = [](double x) { return std::ceil(x); };
  const auto down = [](double x) { return std::floor(x); };
  return {per_device, rounded(per_device, "ceil", 0, up), rounded(per_device, "floor", 1, down),
          whole,      rounded(whole, "ceil", 0, up),      rounded(whole, "floor", 1, down),
          one};
}

std::vector<Choice> Gigabytes(const proto::Claims& claims) {
  const bool claims_gib = claims.bytes_per_gigabyte() == kGibibyte,
             claims_gb = claims.bytes_per_gigabyte() == kGigabyte;
  Choice gigabyte = {"GB = 1e9", claims_gib ? 1 : 0, {}, Constant(kGigabyte), claims_gib};
  if (claims_gib) {
    gigabyte.flags.push_back(kTextClaimsGibPrintsGb);
  }
  Choice gibibyte = {"GB = 2^30", claims_gib ? 0 : 1, {}, Constant(kGibibyte), claims_gb};
  if (!claims_gib) {
    gibibyte.flags.push_back(kGibAsGb);
  }
  return {gigabyte, gibibyte};
}

std::vector<Choice> Megabytes(bool binary_label) {
  const Choice decimal = {"MB = 1e6", 0, {}, Constant(kMegabyte)}, binary = {"MiB = 2^20", 0, {}, Constant(kMebibyte)};
  std::vector<Choice> units =
      binary_label ? std::vector<Choice>{binary, decimal} : std::vector<Choice>{decimal, binary};
  units[1].departures = 1;
  units[1].flags.emplace_back(binary_label ? kMbAsMib : kMibAsMb);
  return units;
}

std::vector<Choice> ShareOfPeak(const proto::Claims& claims) {
  return {{"peak", 0, {}, Constant(claims.peak_bytes_per_second() / 100)}};
}

}  // namespace lockstep
