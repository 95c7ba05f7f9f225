// The answer templates of part B.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/lab_records/accuracy_step.h"
#include "lib/lab_records/dataset_facts.h"
#include "lib/lab_records/network_names.h"
#include "lib/networks/int8_shape.h"
#include "lib/report/sentences.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/question_commands.h"
#include "lib/wording/study_text.h"

namespace lockstep {
namespace {

constexpr char kAskedB1[] = "Weights: how are they distributed, and which range do they need?";
constexpr char kAskedB2[] = "Weights in int8: what does it cost in accuracy?";
constexpr char kAskedB3[] = "Activations: which range do they need?";
constexpr char kAskedB4[] = "Activations in int8 too: what does it cost?";
constexpr char kAskedB5[] = "Bias in int32: what does it cost?";

std::string Missing(const LabRecords& lab, absl::string_view question, absl::string_view what) {
  return absl::StrCat("needs ", what, " (quantize), which no input has; ", AnswerText(question, FactsOfDataset(lab)));
}

// Network with a name that differs from those of all other networks of the page.
struct NamedNetwork {
  std::string name;
  const proto::QuantizedNetwork* network;
};

std::vector<NamedNetwork> Networks(const LabRecords& lab) {
  std::vector<NamedNetwork> networks;
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      networks.push_back({NetworkName(lab, file, network), &network});
    }
  }
  return networks;
}

// Returns "test images", or "synthetic test images" if they are not real.
std::string TestImages(const LabRecords& lab) {
  for (const LabDataset& dataset : lab.datasets) {
    for (const proto::DatasetInfo& info : dataset.info) {
      if (info.input_format() == proto::SYNTHETIC) {
        return "synthetic test images";
      }
    }
  }
  return "test images";
}

bool Holds(const proto::AccuracyStep* step) {
  return step != nullptr && step->absent_reason().empty() && step->images() > 0;
}

constexpr size_t kMaxListedLayers = 8;

// Returns "conv1 0.5213 (0.4120)" for every layer that has weights; for many layers only the smallest, the middle and
// the largest.
template <typename Value, typename Compared>
std::string PerLayer(const proto::QuantizedNetwork& network, Value value, Compared compared) {
  std::vector<const proto::QuantizedLayer*> layers;
  for (const proto::QuantizedLayer& layer : network.layer()) {
    if (!layer.weight_shape().empty()) {
      layers.push_back(&layer);
    }
  }
  const auto text = [&](const proto::QuantizedLayer* layer) {
    return absl::StrCat(layer->name(), " ", FormatNumber(value(*layer)), " (", compared(*layer), ")");
  };
  if (layers.size() <= kMaxListedLayers) {
    return absl::StrJoin(layers, ", ", [&](std::string* out, const auto* layer) { *out += text(layer); });
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [&](const auto* one, const auto* other) { return value(*one) < value(*other); });
  return absl::StrCat(layers.size(), " layers, smallest ", text(layers.front()), ", median ",
                      text(layers[layers.size() / 2]), ", largest ", text(layers.back()));
}

// Adds the references to the histograms and, if PerLayer leaves out layers of a network, to the table of all layers.
void AddReferences(const std::vector<NamedNetwork>& networks, proto::Claim& claim) {
  const bool is_cut = std::any_of(networks.begin(), networks.end(), [](const NamedNetwork& named) {
    const auto& layers = named.network->layer();
    return std::count_if(layers.begin(), layers.end(), [](const proto::QuantizedLayer& layer) {
             return !layer.weight_shape().empty();
           }) > static_cast<ptrdiff_t>(kMaxListedLayers);
  });
  const auto add = [&](const char* what, const char* title) {
    proto::PartReference& reference = *claim.add_reference();
    reference.set_what(what);
    reference.set_title(title);
  };
  if (is_cut) {
    add("All layers are listed", "Ranges and scales per layer");
  }
  add("The histograms are drawn", "Accuracy in int8");
}

std::string ChanceText() {
  return absl::StrCat("; fp32 is near chance (", 100 / kInt8Classes, " %), so the cost of int8 cannot be judged");
}

std::string Signed(double fraction) { return absl::StrCat(fraction > 0 ? "+" : "", FormatPercent(fraction)); }

// Returns "lenet5: -0.20 points (53.90 % with int8 weights, 54.10 % in fp32); of 10,000 test images, 12 turned wrong
// and 8 right". `alone` is text before the first number.
// If fp32 is little better than chance, ends with "; fp32 is near chance (10 %), so the cost of int8 cannot be judged".
std::string StepSentence(const std::string& name, const proto::AccuracyStep& fp32, const proto::AccuracyStep& step,
                         absl::string_view alone, absl::string_view with, absl::string_view images) {
  return absl::StrCat(name, ": ", alone, Signed(AccuracyOf(step) - AccuracyOf(fp32)), " points (",
                      FormatPercent(AccuracyOf(step)), " % with ", with, ", ", FormatPercent(AccuracyOf(fp32)),
                      " % in fp32); of ", FormatCount(step.images()), " ", images, ", ",
                      FormatCount(step.flips_to_wrong()), " turned wrong and ", FormatCount(step.flips_to_right()),
                      " right", IsNearChance(AccuracyOf(fp32)) ? ChanceText() : "");
}

// Returns "-0.50 points with int32 bias instead of fp32 bias (69.50 %); all stages together ", to be followed by the
// comparison with fp32; empty if the network lacks the stage with fp32 bias.
std::string BiasAlone(const proto::QuantizedNetwork& network, const proto::AccuracyStep& step) {
  const proto::AccuracyStep* const before = FindStep(network, proto::INT8_WEIGHTS_ACTIVATIONS);
  return Holds(before) ? absl::StrCat(Signed(AccuracyOf(step) - AccuracyOf(*before)),
                                      " points with int32 bias instead of fp32 bias (",
                                      FormatPercent(AccuracyOf(*before)), " %); all stages together ")
                       : "";
}

// Returns a claim with one sentence for each network that has this stage.
proto::Claim StepClaim(const LabRecords& lab, absl::string_view question, absl::string_view asked,
                       proto::QuantizeStage stage, absl::string_view with) {
  std::vector<std::string> sentences, names;
  for (const auto& [name, network] : Networks(lab)) {
    const proto::AccuracyStep* fp32 = FindStep(*network, proto::FP32_NETWORK);
    const proto::AccuracyStep* step = FindStep(*network, stage);
    if (Holds(fp32) && Holds(step)) {
      const std::string alone = stage == proto::INT8_WEIGHTS_ACTIVATIONS_BIAS ? BiasAlone(*network, *step) : "";
      sentences.push_back(StepSentence(name, *fp32, *step, alone, with, TestImages(lab)));
      if (const std::string study = StudyText(network->study());
          stage == proto::INT8_WEIGHTS_ACTIVATIONS && !study.empty()) {
        sentences.push_back(absl::StrCat(name, ", layer by layer: ", study));
      }
      names.push_back(network->name());
    }
  }
  if (sentences.empty()) {
    return NotClaimed(question, asked,
                      Missing(lab, question, absl::StrCat("a network's accuracy in fp32 and with ", with)));
  }
  return Claimed(question, asked, absl::StrCat(absl::StrJoin(sentences, ".\n"), "."),
                 {absl::StrCat("quantized.network[name=", absl::StrJoin(names, "|"), "].step[stage=FP32_NETWORK|",
                               proto::QuantizeStage_Name(stage), "].correct")});
}

}  // namespace

proto::Claim AnswerB1(const LabRecords& lab) {
  std::vector<std::string> sentences;
  std::vector<NamedNetwork> named;
  for (const auto& [name, network] : Networks(lab)) {
    if (!network->layer().empty()) {
      named.push_back({name, network});
      sentences.push_back(
          absl::StrCat(name, ": ",
                       PerLayer(
                           *network, [](const auto& layer) { return layer.max_abs_weight(); },
                           [](const auto& layer) { return FormatNumber(layer.weight_three_sigma()); })));
    }
  }
  if (sentences.empty()) {
    return NotClaimed("B1", kAskedB1, Missing(lab, "B1", "the histograms and ranges of a network's weights"));
  }
  proto::Claim claim =
      Claimed("B1", kAskedB1,
              absl::StrCat("Full range max|w| per layer, and in brackets |mean| + 3 standard deviations:\n",
                           absl::StrJoin(sentences, "\n")),
              {"quantized.network.layer.max_abs_weight", "quantized.network.layer.weight_three_sigma",
               "quantized.network.layer.weight_histogram"});
  AddReferences(named, claim);
  return claim;
}

proto::Claim AnswerB2(const LabRecords& lab) {
  return StepClaim(lab, "B2", kAskedB2, proto::INT8_WEIGHTS, "int8 weights");
}

proto::Claim AnswerB3(const LabRecords& lab) {
  std::vector<std::string> sentences;
  std::vector<NamedNetwork> named;
  uint32_t calibration_images = 0;
  for (const LabQuantized& file : lab.quantized) {
    calibration_images = std::max(calibration_images, file.spec.calibration_images());
  }
  for (const auto& [name, network] : Networks(lab)) {
    if (!network->layer().empty() && network->onnx_form().empty()) {  // an import measures no activations
      named.push_back({name, network});
      sentences.push_back(
          absl::StrCat(name, ": ",
                       PerLayer(
                           *network, [](const auto& layer) { return layer.output_max_abs(); },
                           [](const auto& layer) { return FormatNumber(layer.activation_three_sigma()); })));
    }
  }
  if (sentences.empty()) {
    return NotClaimed("B3", kAskedB3, Missing(lab, "B3", "the histograms and ranges of a network's activations"));
  }
  proto::Claim claim =
      Claimed("B3", kAskedB3,
              absl::StrCat("Over ", FormatCount(calibration_images),
                           " training images, max|a| per layer as the next layer reads it, and in brackets |mean| + "
                           "3 standard deviations:\n",
                           absl::StrJoin(sentences, "\n")),
              {"quantized.spec.calibration_images", "quantized.network.layer.output_max_abs",
               "quantized.network.layer.activation_three_sigma", "quantized.network.layer.activation_before_relu",
               "quantized.network.layer.activation_after_relu"});
  AddReferences(named, claim);
  return claim;
}

proto::Claim AnswerB4(const LabRecords& lab) {
  return StepClaim(lab, "B4", kAskedB4, proto::INT8_WEIGHTS_ACTIVATIONS, "int8 weights and activations");
}

proto::Claim AnswerB5(const LabRecords& lab) {
  return StepClaim(lab, "B5", kAskedB5, proto::INT8_WEIGHTS_ACTIVATIONS_BIAS,
                   "int8 weights and activations and int32 bias");
}

}  // namespace lockstep
