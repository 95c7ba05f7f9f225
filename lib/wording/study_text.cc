#include "lib/wording/study_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"

namespace lockstep {
namespace {

constexpr size_t kNamedLayers = 3;

// Returns all tensors of the study, the most costly first: like BySensitivity of lib/quantize/layer_study.h, or, in
// records without divergences, by the images that are right with the layer in fp32.
std::vector<const proto::StudiedLayer*> MostCostlyFirst(const proto::LayerStudy& study) {
  std::vector<const proto::StudiedLayer*> layers;
  for (const proto::StudiedLayer& layer : study.layer()) {
    layers.push_back(&layer);
  }
  const bool has_divergences = std::all_of(layers.begin(), layers.end(), [](const proto::StudiedLayer* layer) {
    return layer->has_divergence_without() && std::isfinite(layer->divergence_without()) &&
           std::isfinite(layer->divergence_alone());
  });
  const auto order = [&](const proto::StudiedLayer* layer) {
    return has_divergences ? std::make_pair(layer->divergence_without(), -layer->divergence_alone())
                           : std::make_pair(-static_cast<double>(layer->correct_without()), 0.0);
  };
  std::stable_sort(layers.begin(), layers.end(), [&](const auto* a, const auto* b) { return order(a) < order(b); });
  return layers;
}

std::string NameOf(const proto::StudiedLayer& layer) {
  return layer.name() == "image" ? "the input image" : layer.name();
}

bool IsStudied(const proto::LayerStudy& study) { return study.images() > 0 && !study.layer().empty(); }

bool LosesNothing(const proto::LayerStudy& study) { return study.correct_int8() >= study.correct_fp32(); }

std::string Percent(const proto::LayerStudy& study, uint32_t correct) {
  return absl::StrCat(FormatPercent(static_cast<double>(correct) / study.images()), " %");
}

}  // namespace

std::string StudyText(const proto::LayerStudy& study) {
  if (!IsStudied(study)) {
    return "";
  }
  const std::vector<const proto::StudiedLayer*> layers = MostCostlyFirst(study);
  const std::string images = absl::StrCat("the study's ", FormatCount(study.images()), " training images");
  if (LosesNothing(study)) {
    return absl::StrCat("no layer costs accuracy on ", images, " (", Percent(study, study.correct_int8()),
                        " right with all layers in int8, ", Percent(study, study.correct_fp32()),
                        " in fp32); the largest change of the class probabilities is that of ", NameOf(*layers[0]));
  }
  std::vector<std::string> names, right;
  for (size_t i = 0; i < std::min(layers.size(), kNamedLayers); ++i) {
    names.push_back(NameOf(*layers[i]));
    right.push_back(Percent(study, layers[i]->correct_without()));
  }
  return absl::StrCat(names.size() == 1 ? "the layer that costs most is " : "the layers that cost most are ",
                      JoinAnd(names), names.size() == 1 ? ": with it" : ": with one of them", " back in fp32, ",
                      JoinAnd(right), " of ", images, " are right, ", Percent(study, study.correct_int8()),
                      " with all layers in int8, ", Percent(study, study.correct_fp32()), " in fp32");
}

std::string ShortStudyText(const proto::LayerStudy& study) {
  if (!IsStudied(study)) {
    return "";
  }
  const std::vector<const proto::StudiedLayer*> layers = MostCostlyFirst(study);
  if (LosesNothing(study)) {
    return absl::StrCat("No layer costs accuracy on the study's ", FormatCount(study.images()), " images; ",
                        NameOf(*layers[0]), " changes the outputs most.");
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(layers.size(), kNamedLayers); ++i) {
    names.push_back(NameOf(*layers[i]));
  }
  return absl::StrCat("Layers that cost most: ", absl::StrJoin(names, ", "), ".");
}

}  // namespace lockstep
