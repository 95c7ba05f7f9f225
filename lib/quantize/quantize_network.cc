#include "lib/quantize/quantize_network.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/sampler.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/calibration.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/quantize_layers.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/replay.h"
#include "lib/quantize/fine_tune.h"
#include "lib/quantize/layer_study.h"
#include "lib/quantize/run_parts.h"
#include "lib/quantize/stage_predictions.h"

namespace lockstep {
namespace {

// Parts of the work on one network.
constexpr char kCalibration[] = "calibration";
constexpr char kBiasCorrection[] = "bias correction";
constexpr char kFp32[] = "fp32";
constexpr char kInt8Weights[] = "int8 weights";
constexpr char kInt8WeightsActivations[] = "int8 weights and activations";
constexpr char kInt8Throughout[] = "int8 throughout";
constexpr char kUnscaledBiases[] = "int8 weights, biases unscaled";
constexpr char kFineTuning[] = "fine-tuning";
constexpr char kFineTuned[] = "fine-tuned";
constexpr char kStudy[] = "layer by layer";

// Forward passes that take as long as forward and backward pass of one image.
constexpr double kTrainingPasses = 3;

std::string PartLabel(const std::string& network, const char* words) { return absl::StrCat(network, " ", words); }

// Returns the first `count` images in the order of `seed`: spread over all classes even if the set is sorted.
std::vector<uint32_t> FirstOfOrder(const ImageSet& images, uint64_t seed, uint32_t count) {
  std::vector<uint32_t> order = EpochOrder(static_cast<uint32_t>(images.size()), seed, /*epoch=*/0);
  order.resize(std::min<size_t>(order.size(), count));
  return order;
}

// Multiply-accumulates for which the plain loops take some ten seconds. Only these loops see every sum.
constexpr uint64_t kTracedMacs = 8'000'000'000;

// Fills the fields that require a run of the int8 network on the first `count` images.
absl::Status RecordTraces(const ImageSelection& images, const ImageTable& table, size_t count,
                          proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(const IntegerNetwork network, ToIntegerNetwork(record));
  std::vector<IntegerTrace> traces(network.layers.size());
  std::vector<int8_t> image(kImageBytes);
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(CheckNotStopped());
    QuantizeImage(images.set.pixels.data() + size_t{images.indices[i]} * kImageBytes, table, image.data());
    RunInteger(network, image.data(), &traces);
  }
  record.set_traced_images(static_cast<uint32_t>(count));
  for (size_t i = 0; i < traces.size(); ++i) {
    proto::QuantizedLayer& layer = *record.mutable_layer(static_cast<int>(i));
    layer.set_accumulator_max_abs(traces[i].accumulator_max_abs);
    const double outputs = static_cast<double>(traces[i].outputs);
    layer.set_activation_saturated_fraction(static_cast<double>(traces[i].saturated) / outputs);
    layer.set_fixed_point_different_fraction(static_cast<double>(traces[i].fixed_point_different) / outputs);
  }
  return absl::OkStatus();
}

// Returns true if the lab's script could run the network with integers for weights: one scale per layer, no additions.
bool IsTheLabs(const FloatNetwork& network, const proto::QuantizeSpec& spec) {
  return !spec.per_channel() && std::none_of(network.layers.begin(), network.layers.end(), [](const FloatLayer& layer) {
    return layer.shape.kind == LayerKind::kAdd;
  });
}

// Inputs of an accuracy measurement, and its baseline.
struct Measuring {
  const ImageSet& test;
  const NormalizationTable& normalization;
  const ImageTable& table;
  const proto::QuantizeSpec& spec;
  const MakeIntegerRunner& make;
  c10::Device device;
  RunParts& parts;
  std::vector<Prediction> fp32;  // predictions of the checkpoint's network
};

absl::Status AddFloatStep(proto::QuantizeStage stage, const FloatNetwork& network, const char* words,
                          const Measuring& by, proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(
      const std::vector<Prediction> found,
      PredictFloat(network, by.test, by.normalization, by.parts.Begin(PartLabel(network.name, words)), by.device));
  *record.add_step() = CountAccuracy(stage, found, by.fp32, by.test.labels);
  return absl::OkStatus();
}

absl::Status AddIntegerStep(proto::QuantizeStage stage, const IntegerNetwork& network, const char* words,
                            const Measuring& by, proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(const IntegerPredictions found,
                   PredictInteger(network, by.test, by.table, by.make, by.parts.Begin(PartLabel(network.name, words))));
  proto::AccuracyStep& step = *record.add_step();
  step = CountAccuracy(stage, found.predictions, by.fp32, by.test.labels);
  step.set_logits_sha256(found.logits_sha256);
  return absl::OkStatus();
}

// Records the accuracies of all stages but fine-tuning. `quantized` is the network that was quantized: `network`, or
// the same with corrected biases.
absl::Status RecordAccuracies(const FloatNetwork& network, const FloatNetwork& quantized, const Measuring& by,
                              proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(const IntegerNetwork integer, ToIntegerNetwork(record));
  *record.add_step() = CountAccuracy(proto::FP32_NETWORK, by.fp32, by.fp32, by.test.labels);
  RETURN_IF_ERROR(AddFloatStep(proto::INT8_WEIGHTS, WithInt8Weights(quantized, record), kInt8Weights, by, record));
  RETURN_IF_ERROR(AddIntegerStep(proto::INT8_WEIGHTS_ACTIVATIONS, WithFloatBias(integer, quantized, record),
                                 kInt8WeightsActivations, by, record));
  if (!record.has_bias()) {
    proto::AccuracyStep& absent = *record.add_step();
    absent.set_stage(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS);
    absent.set_absent_reason("the network has no bias");
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(AddIntegerStep(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS, integer, kInt8Throughout, by, record));
  return IsTheLabs(network, by.spec)
             ? AddFloatStep(proto::INT8_WEIGHTS_UNSCALED_BIAS, WithUnscaledInt8Weights(network, record),
                            kUnscaledBiases, by, record)
             : absl::OkStatus();
}

// Fine-tunes `network` if the spec requests it, and replaces the record's layers by those of the result. Ranges and
// histograms of activations stay the same: `calibration` is of the network before.
absl::Status RecordFineTuning(const ImageSelection& calibration_images, const Calibration& calibration,
                              const Measuring& by, FloatNetwork& network, proto::QuantizedNetwork& record) {
  if (by.spec.fine_tune_epochs() == 0) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(FineTuned tuned, FineTune(network, record, calibration_images.set, by.spec, by.device,
                                             by.parts.Begin(PartLabel(network.name, kFineTuning))));
  network = std::move(tuned.network);
  ASSIGN_OR_RETURN(proto::QuantizedNetwork layers, QuantizeLayers(network, calibration, by.spec));
  record.mutable_layer()->Swap(layers.mutable_layer());
  RETURN_IF_ERROR(CompareWithIntegers(network, record, by.spec, calibration_images, by.make, by.device, tuned.summary));
  *record.mutable_fine_tuning() = std::move(tuned.summary);
  ASSIGN_OR_RETURN(const IntegerNetwork integer, ToIntegerNetwork(record));
  return AddIntegerStep(proto::INT8_FINE_TUNED, integer, kFineTuned, by, record);
}

// Records the layer study if the spec requests it.
absl::Status RecordStudy(const FloatNetwork& network, const Dataset& dataset, const NormalizationTable& normalization,
                         const proto::QuantizeSpec& spec, c10::Device device, RunParts& parts,
                         proto::QuantizedNetwork& record) {
  if (spec.study_images() == 0) {
    return absl::OkStatus();
  }
  std::vector<uint32_t> order =
      FirstOfOrder(dataset.train, spec.seed(), spec.calibration_images() + spec.study_images());
  order.erase(order.begin(), order.begin() + spec.calibration_images());
  const ImageSelection images = {dataset.train, std::move(order), normalization};
  ASSIGN_OR_RETURN(proto::LayerStudy study,
                   StudyLayers(network, record, images, parts.Begin(PartLabel(network.name, kStudy)), device));
  if (spec.wanted_drop() > 0) {
    RETURN_IF_ERROR(AddFallback(network, record, images, dataset.test, spec.wanted_drop(),
                                parts.Begin(PartLabel(network.name, "back to fp32")), study, device));
  }
  *record.mutable_study() = std::move(study);
  return absl::OkStatus();
}

}  // namespace

std::vector<uint32_t> ReplayIndices(const ImageSet& test, const proto::QuantizeSpec& spec) {
  return FirstOfOrder(test, spec.seed(), kReplayImages);
}

void RecordNormalization(const proto::Normalization& normalization, proto::QuantizedNetwork& record) {
  record.mutable_mean()->Assign(normalization.mean().begin(), normalization.mean().end());
  record.mutable_std()->Assign(normalization.std().begin(), normalization.std().end());
  record.set_normalization_source(normalization.source());
}

absl::Status CheckSpec(const proto::QuantizeSpec& spec, const Dataset& dataset) {
  if (spec.calibration_images() == 0 || spec.calibration_images() > dataset.train.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--calibration_images=", spec.calibration_images(),
                                                   ": expected 1 to ", dataset.train.size(),
                                                   ", the images of the training split"));
  }
  if (spec.calibration_images() + uint64_t{spec.study_images()} > dataset.train.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--study_images=", spec.study_images(), ": with ", spec.calibration_images(),
                     " calibration images that is more than the ", dataset.train.size(), " of the training split"));
  }
  if (spec.fine_tune_epochs() > 0 && spec.fine_tune_batch() == 0) {
    return absl::InvalidArgumentError("--fine_tune_batch=0: expected at least one image");
  }
  return CheckTestImages(dataset);
}

absl::Status CheckTestImages(const Dataset& dataset) {
  return dataset.test.size() > 0
             ? absl::OkStatus()
             : absl::FailedPreconditionError("the data set has no test images to measure an accuracy on");
}

size_t TracedImages(const FloatNetwork& network, size_t calibration_images) {
  return std::clamp<size_t>(kTracedMacs / std::max<uint64_t>(CountMacs(network.Shapes()), 1), 1,
                            std::max<size_t>(calibration_images, 1));
}

void ExpectParts(const FloatNetwork& network, const proto::QuantizeSpec& spec, uint64_t train_images, RunParts& parts) {
  const auto expect = [&](const char* words, double passes) { parts.Expect(PartLabel(network.name, words), passes); };
  const double calibration = spec.calibration_images(), test = spec.test_images();
  expect(kCalibration, calibration);
  if (spec.bias_correction()) {
    expect(kBiasCorrection, 2 * calibration);
  }
  for (const char* words : {kFp32, kInt8Weights, kInt8WeightsActivations}) {
    expect(words, test);
  }
  if (network.HasBias()) {
    expect(kInt8Throughout, test);
    if (IsTheLabs(network, spec)) {
      expect(kUnscaledBiases, test);
    }
  }
  if (spec.fine_tune_epochs() > 0) {
    expect(kFineTuning, kTrainingPasses * spec.fine_tune_epochs() * static_cast<double>(train_images));
    expect(kFineTuned, test);
  }
  if (spec.study_images() > 0) {
    expect(kStudy, 2.0 * spec.study_images() * static_cast<double>(network.layers.size() + 2));
  }
}

absl::StatusOr<proto::QuantizedNetwork> QuantizeNetwork(const FloatNetwork& network, const Dataset& dataset,
                                                        const proto::Normalization& normalization,
                                                        const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                                                        c10::Device device, RunParts& parts, Tracing& tracing) {
  RETURN_IF_ERROR(CheckSpec(spec, dataset));
  proto::QuantizedNetwork normalization_only;
  RecordNormalization(normalization, normalization_only);
  ASSIGN_OR_RETURN(const NormalizationTable normalized, NormalizationOf(normalization_only));
  const ImageSelection calibration_images = {
      dataset.train, FirstOfOrder(dataset.train, spec.seed(), spec.calibration_images()), normalized};

  ASSIGN_OR_RETURN(const Calibration calibration,
                   Calibrate(network, calibration_images, spec.first_sample_range(),
                             parts.Begin(PartLabel(network.name, kCalibration)), device));
  ASSIGN_OR_RETURN(proto::QuantizedNetwork record, QuantizeLayers(network, calibration, spec));
  FloatNetwork quantized = network;  // the network to quantize
  if (spec.bias_correction()) {
    ASSIGN_OR_RETURN(quantized, WithCorrectedBiases(network, record, calibration_images,
                                                    parts.Begin(PartLabel(network.name, kBiasCorrection)), device));
    ASSIGN_OR_RETURN(record, QuantizeLayers(quantized, calibration, spec));
  }
  record.MergeFrom(normalization_only);

  ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(record));
  ASSIGN_OR_RETURN(std::vector<Prediction> fp32, PredictFloat(network, dataset.test, normalized,
                                                              parts.Begin(PartLabel(network.name, kFp32)), device));
  const Measuring by = {dataset.test, normalized, table, spec, make, device, parts, std::move(fp32)};
  RETURN_IF_ERROR(RecordAccuracies(network, quantized, by, record));
  RETURN_IF_ERROR(RecordFineTuning(calibration_images, calibration, by, quantized, record));
  const Stopwatch watch;
  RETURN_IF_ERROR(RecordTraces(calibration_images, table,
                               std::min(TracedImages(network, calibration_images.indices.size()), tracing.max_images),
                               record));
  tracing.seconds += watch.Seconds();
  RETURN_IF_ERROR(RecordStudy(quantized, dataset, normalized, spec, device, parts, record));
  RETURN_IF_ERROR(AddReplaySamples(dataset.test, ReplayIndices(dataset.test, spec), make, record));
  return record;
}

}  // namespace lockstep
