#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/report/cell.h"
#include "lib/report/describe.h"
#include "lib/report/sections.h"

namespace lockstep {
namespace {

constexpr proto::QuantizeStage kStages[] = {proto::FP32_NETWORK, proto::INT8_WEIGHTS, proto::INT8_WEIGHTS_ACTIVATIONS,
                                            proto::INT8_WEIGHTS_ACTIVATIONS_BIAS};

// The steps that are compared with fp32: the ladder's, and the lab's script on a network with bias, which is beside it.
struct ComparedStage {
  proto::QuantizeStage stage;
  const char* name;
};
constexpr ComparedStage kCompared[] = {{proto::INT8_WEIGHTS, "weights int8"},
                                       {proto::INT8_WEIGHTS_ACTIVATIONS, "+ activations int8"},
                                       {proto::INT8_WEIGHTS_ACTIVATIONS_BIAS, "+ bias int32"},
                                       {proto::INT8_WEIGHTS_UNSCALED_BIAS, "weights as integers, biases not scaled"}};

proto::Cell AccuracyCell(const proto::QuantizedNetwork& network, proto::QuantizeStage stage) {
  const proto::AccuracyStep* step = FindStep(network, stage);
  if (step == nullptr || !step->absent_reason().empty() || step->images() == 0) {
    return AbsentCell(step == nullptr ? "this step is not in the record" : step->absent_reason());
  }
  return PercentCell(AccuracyOf(*step), proto::MEASURED, "top-1, per cent of the test images");
}

proto::Table AccuracyTable(const LabQuantized& file) {
  proto::Table table =
      MakeTable(absl::StrCat("Accuracy in int8, per cent (", file.name(), ")"),
                {"network", "fp32", "weights int8", "+ activations int8", "+ bias int32", "test images"});
  for (const proto::QuantizedNetwork& network : file.networks) {
    std::vector<proto::Cell> cells = {LabelCell(network.name())};
    for (const proto::QuantizeStage stage : kStages) {
      cells.push_back(AccuracyCell(network, stage));
    }
    cells.push_back(CountCell(file.spec.test_images(), proto::MEASURED, ""));
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason("the record holds no network");
  }
  AddMethodNotes(table);
  table.add_note(
      "Each row is a network of its own, with an fp32 accuracy of its own: rows are not steps of one ladder.");
  table.add_note(absl::StrCat("Scales come from ", FormatCount(file.spec.calibration_images()),
                              " training images, none of the test images; weights: ",
                              file.spec.weight_range() == proto::THREE_SIGMA ? "3-sigma range" : "full range, max|w|",
                              "."));
  return table;
}

proto::Table FlipsTable(const LabQuantized& file) {
  proto::Table table = MakeTable(
      absl::StrCat("Images that changed sides against fp32 (", file.name(), ")"),
      {"network", "step", "correct", "difference, points", "right to wrong", "wrong to right", "argmax ties"});
  for (const proto::QuantizedNetwork& network : file.networks) {
    const proto::AccuracyStep* fp32 = FindStep(network, proto::FP32_NETWORK);
    for (const auto& [stage, name] : kCompared) {
      const proto::AccuracyStep* step = FindStep(network, stage);
      if (fp32 == nullptr || step == nullptr || !step->absent_reason().empty() || step->images() == 0) {
        continue;  // the table above says why
      }
      AddRow(table, {LabelCell(network.name()), LabelCell(name), CountCell(step->correct(), proto::MEASURED, ""),
                     PercentCell(AccuracyOf(*step) - AccuracyOf(*fp32), proto::DERIVED,
                                 "accuracy of the step - accuracy of fp32"),
                     CountCell(step->flips_to_wrong(), proto::MEASURED, ""),
                     CountCell(step->flips_to_right(), proto::MEASURED, ""),
                     CountCell(step->argmax_ties(), proto::MEASURED, "images whose two largest logits are equal")});
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("no step was run on the test images");
  }
  AddMethodNotes(table);
  table.add_note(
      "weights as integers, biases not scaled: no step of the ladder, but what the lab's script measures as weights "
      "only of "
      "a network with biases, which then weigh nothing beside the integers.");
  return table;
}

// Bits that no input can fill: between the accumulator's bound and int32's limit.
proto::Cell HeadroomCell(const proto::QuantizedLayer& layer) {
  if (layer.accumulator_bound() <= 0) {
    return AbsentCell("the record gives no bound other than 0");
  }
  return NumberCell(31 - std::log2(static_cast<double>(layer.accumulator_bound())), proto::DERIVED,
                    "31 - log2(bound), the bound being what no input can exceed", 3);
}

proto::Table LayerTable(const proto::QuantizedNetwork& network) {
  proto::Table table =
      MakeTable(absl::StrCat("Ranges and scales per layer: ", network.name()),
                {"layer", "weights", "max|w|", "3-sigma of w", "weight scale", "weights at +-127, %", "max|a|",
                 "3-sigma of a", "output scale", "outputs clamped, %", "largest |accumulator|", "headroom, bits"});
  for (const proto::QuantizedLayer& layer : network.layer()) {
    AddRow(table, {LabelCell(layer.name()), LabelCell(absl::StrJoin(layer.weight_shape(), " x ")),
                   NumberCell(layer.max_abs_weight(), proto::MEASURED, ""),
                   NumberCell(layer.weight_three_sigma(), proto::DERIVED, "|mean| + 3 standard deviations"),
                   NumberCell(layer.weight_scale(), proto::DERIVED, "int8 = round(real x scale)"),
                   PercentCell(layer.weight_saturated_fraction(), proto::MEASURED, ""),
                   NumberCell(layer.output_max_abs(), proto::MEASURED,
                              "of what the next layer reads, over the calibration images, real units"),
                   NumberCell(layer.activation_three_sigma(), proto::DERIVED, "|mean| + 3 standard deviations"),
                   NumberCell(layer.output_scale(), proto::DERIVED, "multiplies the int32 accumulator"),
                   PercentCell(layer.activation_saturated_fraction(), proto::MEASURED, "over the calibration images"),
                   CountCell(static_cast<uint64_t>(std::abs(layer.accumulator_max_abs())), proto::MEASURED,
                             "over the calibration images"),
                   HeadroomCell(layer)});
  }
  if (table.row().empty()) {
    table.set_absent_reason("the network's layers are not in the record");
  }
  AddMethodNotes(table);
  table.add_note(absl::StrCat("Input scale ", FormatNumber(network.input_scale()), "; started from the checkpoint ",
                              ShortDigest(network.checkpoint_sha256()), "."));
  return table;
}

}  // namespace

const proto::AccuracyStep* FindStep(const proto::QuantizedNetwork& network, proto::QuantizeStage stage) {
  for (const proto::AccuracyStep& step : network.step()) {
    if (step.stage() == stage) {
      return &step;
    }
  }
  return nullptr;
}

double AccuracyOf(const proto::AccuracyStep& step) {
  return static_cast<double>(step.correct()) / static_cast<double>(step.images());
}

proto::Section Int8Section(const LabRecords& lab) {
  proto::Section section;
  section.set_id("int8");
  section.set_title("Accuracy in int8 (part B)");
  for (const LabQuantized& file : lab.quantized) {
    *section.add_table() = AccuracyTable(file);
    *section.add_table() = FlipsTable(file);
    for (const proto::QuantizedNetwork& network : file.networks) {
      *section.add_table() = LayerTable(network);
    }
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Accuracy in int8", {});
    table.set_absent_reason("no quantized.rec among the inputs; quantize makes it");
  }
  return section;
}

}  // namespace lockstep
