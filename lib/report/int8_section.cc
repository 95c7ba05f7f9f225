#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/dataset/normalization.h"
#include "lib/lab_records/accuracy_step.h"
#include "lib/lab_records/dataset_facts.h"
#include "lib/lab_records/network_names.h"
#include "lib/networks/near_chance_text.h"
#include "lib/report/sections.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"
#include "lib/wording/excluded_answers.h"

namespace lockstep {
namespace {

constexpr proto::QuantizeStage kStages[] = {proto::FP32_NETWORK, proto::INT8_WEIGHTS, proto::INT8_WEIGHTS_ACTIVATIONS,
                                            proto::INT8_WEIGHTS_ACTIVATIONS_BIAS};

// Stages that are compared with fp32: those of the lab, then the lab's script on a network with bias, and fine-tuning.
struct ComparedStage {
  proto::QuantizeStage stage;
  const char* name;
};
constexpr ComparedStage kCompared[] = {{proto::INT8_WEIGHTS, "weights int8"},
                                       {proto::INT8_WEIGHTS_ACTIVATIONS, "+ activations int8"},
                                       {proto::INT8_WEIGHTS_ACTIVATIONS_BIAS, "+ bias int32"},
                                       {proto::INT8_WEIGHTS_UNSCALED_BIAS, "weights as integers, biases not scaled"},
                                       {proto::INT8_FINE_TUNED, "fine-tuned, integers throughout"}};

bool IsFineTuned(const proto::QuantizedNetwork& network) { return network.fine_tuning().epoch_loss_size() > 0; }

proto::Cell AccuracyCell(const proto::QuantizedNetwork& network, proto::QuantizeStage stage) {
  const proto::AccuracyStep* step = FindStep(network, stage);
  if (step == nullptr || !step->absent_reason().empty() || step->images() == 0) {
    return AbsentCell(step == nullptr ? "this step is not in the record" : step->absent_reason());
  }
  return PercentCell(AccuracyOf(*step), proto::MEASURED, "top-1, per cent of the test images");
}

// Returns "99.99 % of the values, with a zero point".
std::string ActivationRange(const proto::QuantizeSpec& spec) {
  std::string range = "full range";
  if (spec.activation_range() == proto::PERCENTILE) {
    range = absl::StrCat(FormatNumber(spec.percentile()), " % of the values");
  } else if (spec.activation_range() == proto::MSE) {
    range = "the range of the least squared error";
  } else if (spec.activation_range() == proto::ENTROPY) {
    range = "the range of the least Kullback-Leibler divergence";
  }
  return absl::StrCat(range, spec.zero_points() ? ", with a zero point" : ", symmetric",
                      spec.first_sample_range() ? ", of the logits those of every fourth image" : "",
                      spec.int8_logits() ? "; logits int8" : "");
}

// Returns "lenet5 was fine-tuned for 2 epochs of the training images ...".
std::string FineTuningNote(const std::string& name, const proto::FineTuning& tuning, const proto::QuantizeSpec& spec) {
  return absl::StrCat(
      name, " was fine-tuned for ", CountOf(static_cast<uint64_t>(tuning.epoch_loss_size()), "epoch"),
      " in batches of ", FormatCount(spec.fine_tune_batch()), ", from a learning rate of ",
      spec.fine_tune_learning_rate(), " on, in ", FormatNumber(tuning.seconds()), " s; the last epoch's loss was ",
      FormatNumber(tuning.epoch_loss(tuning.epoch_loss_size() - 1)), ". Its forward pass gave ",
      FormatCount(tuning.compared_logits() - std::min(tuning.different_logits(), tuning.compared_logits())), " of ",
      FormatCount(tuning.compared_logits()),
      " logits like the integers. fp32 is the network before fine-tuning, which was trained less: a gain over it does "
      "not come from int8. Ranges and scales of the layers are those after fine-tuning.");
}

// Returns "Images were normalized by mean 0.5, std 0.5 (checkpoint) for lenet5; by ...", or an empty string if no
// network has a normalization.
std::string NormalizationNote(const LabRecords& lab, const LabQuantized& file) {
  std::vector<std::string> texts;
  for (const proto::QuantizedNetwork& network : file.networks) {
    if (network.mean().empty()) {
      continue;
    }
    const std::string& source = network.normalization_source();
    const proto::Normalization normalization = RecordedNormalization(source, network.mean(), network.std());
    texts.push_back(absl::StrCat("by ", NormalizationValues(normalization), " (",
                                 source.empty() ? kDatasetNormalization : source, ") for ",
                                 NetworkName(lab, file, network)));
  }
  return texts.empty() ? "" : absl::StrCat("Images were normalized ", absl::StrJoin(texts, "; "), ".");
}

void AddCalibrationNote(const proto::QuantizeSpec& spec, proto::Table& table) {
  table.add_note(absl::StrCat("Scales come from ", FormatCount(spec.calibration_images()),
                              " training images, none of the test images; weights: ",
                              spec.weight_range() == proto::THREE_SIGMA ? "3-sigma range" : "full range, max|w|",
                              spec.per_channel() ? ", a scale for each output channel" : "",
                              "; activations: ", ActivationRange(spec), "."));
}

bool IsImported(const proto::QuantizedNetwork& network) { return !network.onnx_form().empty(); }

// Returns "Imported in int8 from ONNX files, whose scales were kept: main_graph (QDQ form)", or an empty string if no
// network was imported.
std::string ImportNote(const LabRecords& lab, const LabQuantized& file) {
  std::vector<std::string> texts;
  for (const proto::QuantizedNetwork& network : file.networks) {
    if (IsImported(network)) {
      texts.push_back(absl::StrCat(NetworkName(lab, file, network), " (", network.onnx_form(), " form)"));
    }
  }
  return texts.empty()
             ? ""
             : absl::StrCat("Imported in int8 from ONNX files, whose scales were kept: ", absl::StrJoin(texts, "; "),
                            ".");
}

proto::Table AccuracyTable(const LabRecords& lab, const LabQuantized& file) {
  const bool fine_tuned = std::any_of(file.networks.begin(), file.networks.end(), IsFineTuned);
  std::vector<std::string> columns = {"network", "fp32", "weights int8", "+ activations int8", "+ bias int32"};
  if (fine_tuned) {
    columns.push_back("fine-tuned");
  }
  columns.push_back("test images");
  proto::Table table = MakeTable(absl::StrCat("Accuracy in int8, per cent (", file.name(), ")"), columns);
  for (const proto::QuantizedNetwork& network : file.networks) {
    std::vector<proto::Cell> cells = {LabelCell(NetworkName(lab, file, network))};
    for (const proto::QuantizeStage stage : kStages) {
      cells.push_back(AccuracyCell(network, stage));
    }
    if (fine_tuned) {
      cells.push_back(AccuracyCell(network, proto::INT8_FINE_TUNED));
    }
    cells.push_back(CountCell(file.spec.test_images(), proto::MEASURED, ""));
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason("the record holds no network");
  }
  AddMethodNotes(table);
  table.add_note(
      "Each row is another network with its own fp32 accuracy; rows are not quantization stages of one network.");
  if (std::string note = ImportNote(lab, file); !note.empty()) {
    table.add_note(std::move(note));
  }
  if (file.networks.empty() || !std::all_of(file.networks.begin(), file.networks.end(), IsImported)) {
    AddCalibrationNote(file.spec, table);
  }
  if (std::string note = NormalizationNote(lab, file); !note.empty()) {
    table.add_note(std::move(note));
  }
  for (const proto::QuantizedNetwork& network : file.networks) {
    const std::string name = NetworkName(lab, file, network);
    if (const std::string text = NearChanceText(network); !text.empty()) {
      table.add_note(absl::StrCat(name, ": ", text, "."));
    }
    if (IsFineTuned(network)) {
      table.add_note(FineTuningNote(name, network.fine_tuning(), file.spec));
    }
  }
  return table;
}

// Returns the accuracy that the step gained, in points, with the interval of the paired difference.
proto::Cell DifferenceCell(const proto::AccuracyStep& fp32, const proto::AccuracyStep& step) {
  proto::Quantity difference;
  difference.set_value(AccuracyOf(step) - AccuracyOf(fp32));
  difference.set_provenance(proto::DERIVED);
  difference.set_method("accuracy of the step - accuracy of fp32, Tango's 95 % interval of the paired difference");
  if (!step.has_difference_low() || !step.has_difference_high()) {
    return PercentCell(difference.value(), proto::DERIVED, "accuracy of the step - accuracy of fp32");
  }
  difference.set_low(step.difference_low());
  difference.set_high(step.difference_high());
  proto::Cell cell = QuantityCell(difference, kPercent.scale);
  cell.clear_note();  // the note is for times and rates; a difference may be negative
  return cell;
}

proto::Cell McNemarCell(const proto::AccuracyStep& step) {
  return step.has_mcnemar_p() ? NumberCell(step.mcnemar_p(), proto::DERIVED,
                                           "exact and two-sided, by the binomial distribution with p = 1/2", 2)
                              : AbsentCell("the record is from a version without this test");
}

proto::Table FlipsTable(const LabRecords& lab, const LabQuantized& file) {
  proto::Table table = MakeTable(absl::StrCat("Images that changed sides against fp32 (", file.name(), ")"),
                                 {"network", "step", "correct", "difference, points", "McNemar's p", "right to wrong",
                                  "wrong to right", "argmax ties"});
  for (const proto::QuantizedNetwork& network : file.networks) {
    const proto::AccuracyStep* fp32 = FindStep(network, proto::FP32_NETWORK);
    for (const auto& [stage, name] : kCompared) {
      const proto::AccuracyStep* step = FindStep(network, stage);
      if (fp32 == nullptr || step == nullptr || !step->absent_reason().empty() || step->images() == 0) {
        continue;  // the table above gives the reason
      }
      AddRow(table, {LabelCell(NetworkName(lab, file, network)), LabelCell(name),
                     CountCell(step->correct(), proto::MEASURED, ""), DifferenceCell(*fp32, *step), McNemarCell(*step),
                     CountCell(step->flips_to_wrong(), proto::MEASURED, ""),
                     CountCell(step->flips_to_right(), proto::MEASURED, ""),
                     CountCell(step->argmax_ties(), proto::MEASURED, "images with two equal largest logits")});
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("no step was run on the test images");
  }
  AddMethodNotes(table);
  table.add_note(
      "weights as integers, biases not scaled: not a quantization stage, but what the lab's script measures as weights "
      "only for a network with biases, which are then negligible next to the integers.");
  return table;
}

// Returns the bits between the accumulator's bound and int32's limit, which no input can fill.
proto::Cell HeadroomCell(const proto::QuantizedLayer& layer) {
  if (layer.accumulator_bound() <= 0) {
    return AbsentCell("the record has no bound above 0");
  }
  return NumberCell(31 - std::log2(static_cast<double>(layer.accumulator_bound())), proto::DERIVED,
                    "31 - log2(bound); no input can exceed the bound", 3);
}

proto::Cell WeightScaleCell(const proto::QuantizedLayer& layer) {
  const auto& scales = layer.channel_weight_scale();
  if (scales.empty()) {
    return NumberCell(layer.weight_scale(), proto::DERIVED, "int8 = round(real x scale)");
  }
  return LabelCell(absl::StrCat(FormatNumber(*std::min_element(scales.begin(), scales.end())), " to ",
                                FormatNumber(*std::max_element(scales.begin(), scales.end())), ", one a channel"));
}

proto::Cell OutputScaleCell(const proto::QuantizedLayer& layer) {
  if (layer.writes_sums()) {
    return AbsentCell("the output is the int32 accumulator itself");
  }
  return NumberCell(layer.output_scale(), proto::DERIVED, "multiplies the int32 accumulator");
}

// Returns the columns from "weights" to "weights at +-127, %".
std::vector<proto::Cell> WeightCells(const proto::QuantizedLayer& layer) {
  if (layer.weight_shape().empty()) {
    return std::vector<proto::Cell>(5, AbsentCell("the layer has no weights"));
  }
  return {LabelCell(absl::StrJoin(layer.weight_shape(), " x ")),
          NumberCell(layer.max_abs_weight(), proto::MEASURED, ""),
          NumberCell(layer.weight_three_sigma(), proto::DERIVED, "|mean| + 3 standard deviations"),
          WeightScaleCell(layer), PercentCell(layer.weight_saturated_fraction(), proto::MEASURED, "")};
}

// Returns the columns from "max|a|" to "headroom, bits".
std::vector<proto::Cell> OutputCells(const proto::QuantizedLayer& layer) {
  const bool has_sums = layer.kind() != "add";
  const proto::Cell no_sums = AbsentCell("an addition has no accumulator");
  return {NumberCell(layer.output_max_abs(), proto::MEASURED,
                     "of what the next layer reads, over the calibration images, real units"),
          NumberCell(layer.activation_three_sigma(), proto::DERIVED, "|mean| + 3 standard deviations"),
          has_sums ? OutputScaleCell(layer) : no_sums,
          layer.writes_sums()
              ? AbsentCell("the output is not clamped")
              : PercentCell(layer.activation_saturated_fraction(), proto::MEASURED, "over the traced images"),
          has_sums ? CountCell(static_cast<uint64_t>(std::abs(layer.accumulator_max_abs())), proto::MEASURED,
                               "over the traced images")
                   : no_sums,
          layer.weight_shape().empty() ? AbsentCell("the layer has no weights") : HeadroomCell(layer)};
}

proto::Table LayerTable(const std::string& name, const proto::QuantizedNetwork& network) {
  proto::Table table =
      MakeTable(absl::StrCat("Ranges and scales per layer: ", name),
                {"layer", "weights", "max|w|", "3-sigma of w", "weight scale", "weights at +-127, %", "max|a|",
                 "3-sigma of a", "output scale", "outputs clamped, %", "largest |accumulator|", "headroom, bits"});
  for (const proto::QuantizedLayer& layer : network.layer()) {
    std::vector<proto::Cell> cells = {LabelCell(layer.name())};
    for (const std::vector<proto::Cell>& part : {WeightCells(layer), OutputCells(layer)}) {
      cells.insert(cells.end(), part.begin(), part.end());
    }
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason("the record has no layers of the network");
  }
  AddMethodNotes(table);
  table.add_note(network.traced_images() == 0
                     ? "Traced images: all of the calibration images."
                     : absl::StrCat("Traced images: the first ", FormatCount(network.traced_images()),
                                    " of the calibration images."));
  double different = 0;
  for (const proto::QuantizedLayer& layer : network.layer()) {
    different = std::max(different, layer.fixed_point_different_fraction());
  }
  if (different > 0) {
    table.add_note(absl::StrCat("If requantized by gemmlowp's fixed point instead of a float32 multiplier, at most ",
                                FormatPercent(different), " % of a layer's outputs would be another int8."));
  }
  table.add_note(absl::StrCat("Input scale ", FormatNumber(network.input_scale()), "; started from the checkpoint ",
                              ShortDigest(network.checkpoint_sha256()), "."));
  return table;
}

proto::Cell DecibelsCell(bool has, double value, absl::string_view method, absl::string_view absent) {
  return has ? NumberCell(value, proto::MEASURED, method, 3) : AbsentCell(absent);
}

proto::Cell DivergenceCell(bool has, double value) {
  return has ? NumberCell(value, proto::MEASURED, "Kullback-Leibler divergence from fp32's class probabilities", 3)
             : AbsentCell("the record is older than this number");
}

// Returns the accuracy of a study in per cent minus fp32's, in points.
proto::Cell LostCell(const proto::LayerStudy& study, uint32_t correct) {
  return PercentCell((static_cast<double>(correct) - study.correct_fp32()) / study.images(), proto::MEASURED,
                     "accuracy - accuracy of fp32, on the study's images");
}

proto::Table StudyTable(const std::string& name, const proto::QuantizedNetwork& network) {
  const proto::LayerStudy& study = network.study();
  proto::Table table =
      MakeTable(absl::StrCat("Which layers cost the accuracy: ", name),
                {"layer", "SNR of weights, dB", "SNR alone, dB", "SNR of all, dB", "alone in int8, points",
                 "all but it, points", "KL alone, nats", "KL of all but it, nats"});
  for (const proto::StudiedLayer& layer : study.layer()) {
    AddRow(table, {LabelCell(layer.name()),
                   DecibelsCell(layer.has_weight_snr_db(), layer.weight_snr_db(), "of its weights in int8",
                                "no weights, or none that changed"),
                   DecibelsCell(layer.has_alone_snr_db(), layer.alone_snr_db(),
                                "of the layer's output, only this layer in int8", "nothing changed"),
                   DecibelsCell(layer.has_cumulative_snr_db(), layer.cumulative_snr_db(),
                                "of the layer's output, all layers in int8", "nothing changed"),
                   LostCell(study, layer.correct_alone()), LostCell(study, layer.correct_without()),
                   DivergenceCell(layer.has_divergence_alone(), layer.divergence_alone()),
                   DivergenceCell(layer.has_divergence_without(), layer.divergence_without())});
  }
  AddMethodNotes(table);
  table.add_note(absl::StrCat(
      "On ", FormatCount(study.images()), " training images not used in calibration; int8 simulated in fp32. fp32 ",
      FormatPercent(static_cast<double>(study.correct_fp32()) / study.images()), " %, all in int8 ",
      FormatPercent(static_cast<double>(study.correct_int8()) / study.images()), " % of them."));
  if (!study.fallback().empty()) {
    std::vector<std::string> layers;
    for (const proto::FallbackStep& step : study.fallback()) {
      layers.push_back(
          absl::StrCat(step.layer(), " (", FormatPercent(static_cast<double>(step.correct()) / study.images()), " %)"));
    }
    table.add_note(
        absl::StrCat("Put back to fp32, one after another: ", absl::StrJoin(layers, ", "), "; then ",
                     FormatPercent(static_cast<double>(study.fallback_test_correct()) / study.fallback_test_images()),
                     " % of the test images."));
  }
  return table;
}

}  // namespace

proto::Section Int8Section(const LabRecords& lab) {
  proto::Section section;
  section.set_id("int8");
  section.set_title("Accuracy in int8 (part B)");
  for (const LabQuantized& file : lab.quantized) {
    *section.add_table() = AccuracyTable(lab, file);
    *section.add_table() = FlipsTable(lab, file);
    for (const proto::QuantizedNetwork& network : file.networks) {
      const std::string name = NetworkName(lab, file, network);
      *section.add_table() = LayerTable(name, network);
      if (network.study().images() > 0) {
        *section.add_table() = StudyTable(name, network);
      }
    }
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Accuracy in int8", {});
    const std::string reason = WhyNoCommands("B1", FactsOfDataset(lab));
    table.set_absent_reason(
        absl::StrCat("no quantized.rec among the inputs; ", reason.empty() ? "quantize makes it" : reason));
  }
  return section;
}

}  // namespace lockstep
