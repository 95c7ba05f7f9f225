#include "lib/summary/int8_cards.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/lab_records/accuracy_step.h"
#include "lib/lab_records/network_names.h"
#include "lib/summary/card_parts.h"
#include "lib/summary/card_text.h"
#include "lib/summary/int8_verdicts.h"
#include "lib/wording/cell.h"
#include "lib/wording/study_text.h"

namespace lockstep {
namespace {

// --- B2, B4, B5 ---

// A network with fp32, a stage, and the stage before it with which it is compared.
struct StepOf {
  const proto::QuantizedNetwork* network;
  std::string name, title;  // they differ from those of all other networks
  const proto::AccuracyStep* fp32;
  const proto::AccuracyStep* base;  // fp32, or a stage
  const proto::AccuracyStep* step;

  // Returns the images that change from the base to the step. A record counts changes from fp32 only. Between two
  // stages the result is the most that can have changed: all images that change from fp32 in one stage, as if none of
  // them changed in both.
  PairedChanges Changes() const {
    const uint64_t images = step->images();
    const uint64_t lost = std::min(images, uint64_t{step->flips_to_wrong()} + base->flips_to_right());
    const uint64_t gained = uint64_t{step->flips_to_right()} + base->flips_to_wrong();
    return {lost, std::min(images - lost, gained), images};
  }
  Int8Facts Facts() const { return {Changes(), AccuracyOf(*fp32)}; }
  double Change() const { return AccuracyOf(*step) - AccuracyOf(*base); }
  double ChangeFromFp32() const { return AccuracyOf(*step) - AccuracyOf(*fp32); }
};

bool Holds(const proto::AccuracyStep* step) {
  return step != nullptr && step->absent_reason().empty() && step->images() > 0;
}

// Returns the networks that have the stage, its base and fp32. The base of int32 biases is the same network with biases
// in fp32, because B5 asks what they cost in addition.
std::vector<StepOf> StepsOf(const LabRecords& lab, proto::QuantizeStage stage) {
  const proto::QuantizeStage base =
      stage == proto::INT8_WEIGHTS_ACTIVATIONS_BIAS ? proto::INT8_WEIGHTS_ACTIVATIONS : proto::FP32_NETWORK;
  std::vector<StepOf> steps;
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      const StepOf step = {&network,
                           NetworkName(lab, file, network),
                           NetworkTitle(lab, file, network),
                           FindStep(network, proto::FP32_NETWORK),
                           FindStep(network, base),
                           FindStep(network, stage)};
      if (Holds(step.fp32) && Holds(step.base) && Holds(step.step)) {
        steps.push_back(step);
      }
    }
  }
  return steps;
}

// Returns "Its weights take 61.5 kB in int8 and 246 kB in fp32."; empty if the record has no shapes.
std::string WeightBytesText(const proto::QuantizedNetwork& network) {
  double weights = 0;
  for (const proto::QuantizedLayer& layer : network.layer()) {
    weights += layer.weight_shape().empty() ? 0
                                            : std::accumulate(layer.weight_shape().begin(), layer.weight_shape().end(),
                                                              1.0, std::multiplies<>());
  }
  return weights == 0 ? ""
                      : absl::StrCat("Its weights take ", ShortBytes(weights), " in int8 and ",
                                     ShortBytes(weights * sizeof(float)), " in fp32.");
}

proto::SummaryCard StepCard(const LabRecords& lab, absl::string_view question, proto::QuantizeStage stage,
                            absl::string_view missing) {
  const std::vector<StepOf> steps = StepsOf(lab, stage);
  if (steps.empty()) {
    return UnansweredCard(lab, question, missing);
  }
  const StepOf& first = steps.front();
  const PairedChanges changes = first.Changes();
  const bool of_bias = first.base != first.fp32;
  proto::SummaryCard card =
      AnsweredCard(question, JudgeInt8(first.Facts()),
                   {absl::StrCat("quantized.network[name=", first.network->name(), "].step[stage=FP32_NETWORK|",
                                 of_bias ? absl::StrCat(proto::QuantizeStage_Name(first.base->stage()), "|") : "",
                                 proto::QuantizeStage_Name(stage), "].{correct, flips_to_wrong, flips_to_right}")});
  SetHeadline(SignedPoints(first.Change()), "points of accuracy",
              {absl::StrFormat("%s: %.1f %% %s,", first.title, 100 * AccuracyOf(*first.step),
                               of_bias ? "with int32 biases" : "in int8"),
               absl::StrFormat("%.1f %% %s", 100 * AccuracyOf(*first.base), of_bias ? "with fp32 biases" : "in fp32")},
              card);
  const Interval interval = PairedDifferenceInterval(changes);
  SetExact({100 * first.Change(), 100 * interval.low, 100 * interval.high, true}, "points",
           of_bias ? "change, and its 95 % interval if no image changed in both stages"
                   : "change, and its 95 % interval from the changed images",
           card);
  AddSupport(of_bias ? absl::StrCat("From fp32 to int8 with int32 biases it changes by ",
                                    SignedPoints(first.ChangeFromFp32()), " points.")
                     : absl::StrCat("Of ", FormatCount(changes.items), " test images ", FormatCount(changes.lost),
                                    " became wrong and ", FormatCount(changes.gained), " right."),
             card);
  if (stage == proto::INT8_WEIGHTS) {
    AddSupport(WeightBytesText(*first.network), card);
  }
  if (stage == proto::INT8_WEIGHTS_ACTIVATIONS) {
    AddSupport(ShortStudyText(first.network->study()), card);
  }
  for (size_t i = 1; i < steps.size(); ++i) {
    AddSupport(absl::StrCat(steps[i].title, " changes by ", SignedPoints(steps[i].Change()), " points."), card);
  }
  proto::Spark& spark = *card.mutable_spark();
  spark.set_kind(proto::DIFFERENCES);
  for (const StepOf& step : steps) {
    spark.add_value(step.Change());
    spark.add_label(step.name);
  }
  spark.set_base(0);
  spark.set_chance((interval.high - interval.low) / 2);
  spark.set_description(absl::StrCat("Change of accuracy by network; the line is ", of_bias ? "biases in " : "",
                                     "fp32, the band what chance gives"));
  return card;
}

// --- B1, B3 ---

proto::SummaryCard RangeCard(const LabRecords& lab, absl::string_view question,
                             double (proto::QuantizedLayer::*range)() const, absl::string_view field,
                             absl::string_view unit, absl::string_view missing) {
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      if (question == "B3" && !network.onnx_form().empty()) {
        continue;  // an import measures no activations
      }
      RangeFacts facts;
      std::string widest;
      for (const proto::QuantizedLayer& layer : network.layer()) {
        if (layer.weight_shape().empty()) {
          continue;
        }
        const double value = (layer.*range)();
        facts.smallest = facts.layers == 0 ? value : std::min(facts.smallest, value);
        if (facts.layers == 0 || value > facts.largest) {
          facts.largest = value;
          widest = layer.name();
        }
        ++facts.layers;
      }
      if (facts.layers == 0) {
        continue;
      }
      proto::SummaryCard card = AnsweredCard(
          question, JudgeRange(facts), {absl::StrCat("quantized.network[name=", network.name(), "].layer.", field)});
      SetHeadline(ThreeDigits(facts.largest), std::string(unit),
                  {absl::StrCat("in ", widest, " of ", NetworkTitle(lab, file, network), ";"),
                   absl::StrCat(ThreeDigits(facts.smallest), " in the layer with the smallest of ", facts.layers)},
                  card);
      AddSupport(question == "B3"
                     ? absl::StrCat("Measured on ", FormatCount(file.spec.calibration_images()), " training images.")
                     : "",
                 card);
      return card;
    }
  }
  return UnansweredCard(lab, question, missing);
}

}  // namespace

std::optional<NetworkInt8Facts> Int8FactsOf(const LabRecords& lab, proto::QuantizeStage stage) {
  const std::vector<StepOf> steps = StepsOf(lab, stage);
  if (steps.empty()) {
    return std::nullopt;
  }
  return NetworkInt8Facts{steps.front().title, steps.front().Facts()};
}

proto::SummaryCard CardB1(const LabRecords& lab) {
  return RangeCard(lab, "B1", &proto::QuantizedLayer::max_abs_weight, "max_abs_weight", "largest |weight|",
                   "No record holds the ranges of a network's weights.");
}

proto::SummaryCard CardB2(const LabRecords& lab) {
  return StepCard(lab, "B2", proto::INT8_WEIGHTS, "No record holds the accuracy with int8 weights.");
}

proto::SummaryCard CardB3(const LabRecords& lab) {
  return RangeCard(lab, "B3", &proto::QuantizedLayer::output_max_abs, "output_max_abs", "largest |activation|",
                   "No record holds the ranges of a network's activations.");
}

proto::SummaryCard CardB4(const LabRecords& lab) {
  return StepCard(lab, "B4", proto::INT8_WEIGHTS_ACTIVATIONS,
                  "No record holds the accuracy with int8 weights and activations.");
}

proto::SummaryCard CardB5(const LabRecords& lab) {
  return StepCard(lab, "B5", proto::INT8_WEIGHTS_ACTIVATIONS_BIAS,
                  "No record holds the accuracy of a network whose biases are int32.");
}

}  // namespace lockstep
