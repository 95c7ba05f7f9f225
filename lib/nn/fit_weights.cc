#include "lib/nn/fit_weights.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace lockstep {
namespace {

using TensorsByName = std::map<absl::string_view, const TensorEntry*>;

std::string ShapeText(const std::vector<int64_t>& sizes) { return absl::StrCat("(", absl::StrJoin(sizes, ", "), ")"); }

// Returns torchvision's name of a tensor of ResNet-18.
std::string TorchvisionName(const std::string& name) {
  return absl::StartsWith(name, "linear.") ? absl::StrReplaceAll(name, {{"linear.", "fc."}})
                                           : absl::StrReplaceAll(name, {{".shortcut.", ".downsample."}});
}

// Returns the first difference between a tensor of the file and the network's, or "" if they agree.
std::string Difference(const NetworkTensor& expected, const TensorEntry& found) {
  if (expected.sizes != found.sizes) {
    const bool stem = expected.name == "conv1.weight" && found.sizes == std::vector<int64_t>{64, 3, 7, 7};
    return absl::StrCat(expected.name, ": expected ", ShapeText(expected.sizes), ", found ", ShapeText(found.sizes),
                        stem ? ", the stem of torchvision's network for ImageNet" : "");
  }
  const bool same_kind = IsFloatingPoint(found.type) || (expected.is_counter && IsInteger(found.type));
  return same_kind ? ""
                   : absl::StrCat(expected.name, ": expected ", expected.is_counter ? "integers" : "floating point",
                                  ", found ", found.type.name);
}

// Returns the description of an entry that is no tensor, or "" if the dict has no such entry.
std::string OtherEntry(const StateDict& dict, const std::string& name) {
  for (const auto& [other, description] : dict.others) {
    if (other == name) {
      return description;
    }
  }
  return "";
}

// Compares the tensors of `dict` whose names begin with `prefix` with the network.
class Comparison {
 public:
  Comparison(const std::vector<NetworkTensor>& network, const StateDict& dict, const TensorsByName& by_name,
             std::string prefix)
      : dict_(dict) {
    fit_.state_dict = &dict;
    fit_.prefix = std::move(prefix);
    for (const NetworkTensor& expected : network) {
      const TensorEntry* found = Find(expected.name, by_name);
      fit_.tensors.push_back(found);
      const std::string difference = found != nullptr      ? Difference(expected, *found)
                                     : expected.is_counter ? ""
                                                           : Missing(expected.name);
      if (found != nullptr) {
        agreement_ = std::max<size_t>(agreement_, 1) + (difference.empty() ? 1 : 0);
      }
      difference_ = difference_.empty() ? difference : difference_;
    }
    if (difference_.empty()) {
      CheckRest(by_name);
    }
  }

  // Returns the fit, or nullopt if there is a difference.
  std::optional<WeightsFit> Fit() && {
    return difference_.empty() ? std::optional<WeightsFit>(std::move(fit_)) : std::nullopt;
  }

  WeightsMisfit Misfit() const {
    const std::string part = PartName(fit_);
    return {agreement_, absl::StrCat(part, part.empty() ? "" : ": ", difference_)};
  }

 private:
  const TensorEntry* Find(const std::string& name, const TensorsByName& by_name) {
    if (const auto found = by_name.find(fit_.prefix + name); found != by_name.end()) {
      return found->second;
    }
    const auto found = by_name.find(fit_.prefix + TorchvisionName(name));
    fit_.torchvision_names = fit_.torchvision_names || found != by_name.end();
    return found != by_name.end() ? found->second : nullptr;
  }

  std::string Missing(const std::string& name) const {
    const std::string other = OtherEntry(dict_, fit_.prefix + name);
    return other.empty() ? absl::StrCat("it lacks ", name, ", which the model has")
                         : absl::StrCat(name, ": expected a tensor, found ", other);
  }

  // Looks for tensors with the prefix that the network lacks, and collects those without it.
  void CheckRest(const TensorsByName& by_name) {
    const std::set<const TensorEntry*> used(fit_.tensors.begin(), fit_.tensors.end());
    for (const TensorEntry& tensor : dict_.tensors) {
      if (used.count(&tensor) != 0 || by_name.at(tensor.name) != &tensor) {
        continue;
      }
      if (!absl::StartsWith(tensor.name, fit_.prefix)) {
        fit_.left_out.push_back(absl::CHexEscape(tensor.name));
      } else if (difference_.empty()) {
        difference_ = absl::StrCat("it holds ", absl::CHexEscape(absl::StripPrefix(tensor.name, fit_.prefix)),
                                   ", which the model lacks");
      }
    }
  }

  const StateDict& dict_;
  WeightsFit fit_;
  size_t agreement_ = 0;
  std::string difference_;
};

// Limit of the prefixes that are tried for one dict, so that the time is bounded.
constexpr size_t kMaxPrefixes = 100;

// Returns the prefixes, "" first, that the network's first tensor has in `dict`.
std::vector<std::string> Prefixes(const std::vector<NetworkTensor>& network, const StateDict& dict) {
  std::vector<std::string> prefixes = {""};
  for (const TensorEntry& tensor : dict.tensors) {
    absl::string_view prefix = tensor.name;
    if (absl::ConsumeSuffix(&prefix, network.front().name) && absl::EndsWith(prefix, ".") &&
        prefixes.size() < kMaxPrefixes) {
      prefixes.emplace_back(prefix);
    }
  }
  return prefixes;
}

}  // namespace

WeightsFits FindFits(const std::vector<NetworkTensor>& network, const std::vector<StateDict>& state_dicts) {
  WeightsFits found;
  for (const StateDict& dict : state_dicts) {
    TensorsByName by_name;
    for (const TensorEntry& tensor : dict.tensors) {
      by_name[tensor.name] = &tensor;  // the last of two equal names wins, like in Python's dict
    }
    for (std::string& prefix : Prefixes(network, dict)) {
      Comparison comparison(network, dict, by_name, std::move(prefix));
      if (WeightsMisfit misfit = comparison.Misfit();
          found.nearest.text.empty() || misfit.agreement > found.nearest.agreement) {
        found.nearest = std::move(misfit);
      }
      if (std::optional<WeightsFit> fit = std::move(comparison).Fit()) {
        found.fits.push_back(*std::move(fit));
      }
    }
  }
  return found;
}

std::string PartName(const WeightsFit& fit) {
  std::vector<std::string> parts;
  if (!fit.state_dict->place.empty()) {
    parts.push_back(fit.state_dict->place);
  }
  if (!fit.prefix.empty()) {
    parts.push_back(absl::StrCat("prefix '", absl::CHexEscape(fit.prefix), "'"));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace lockstep
