#include "lib/quantize/quantize_network.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/sampler.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/calibration.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/quantize_layers.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/replay.h"
#include "lib/quantize/layer_study.h"
#include "lib/quantize/stage_predictions.h"

namespace lockstep {
namespace {

// The first `count` of the seed's permutation of `images`: spread over all classes even when the set is sorted.
std::vector<uint32_t> FirstOfOrder(const ImageSet& images, uint64_t seed, uint32_t count) {
  std::vector<uint32_t> order = EpochOrder(static_cast<uint32_t>(images.size()), seed, /*epoch=*/0);
  order.resize(std::min<size_t>(order.size(), count));
  return order;
}

// Multiply-accumulates that the plain loops, which alone see every sum, do in some ten seconds.
constexpr uint64_t kTracedMacs = 8'000'000'000;

// What only running the int8 network on the calibration images, or as many as there is time for, can tell.
absl::Status RecordTraces(const IntegerNetwork& network, const ImageSelection& images, const ImageTable& table,
                          proto::QuantizedNetwork& record) {
  std::vector<IntegerTrace> traces(network.layers.size());
  std::vector<int8_t> image(kImageBytes);
  const size_t count =
      std::clamp<size_t>(kTracedMacs / std::max<uint64_t>(CountMacs(network.Shapes()), 1), 1, images.indices.size());
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

// Whether the lab's script could run it with integers for weights: one scale a layer, no additions.
bool IsTheLabs(const FloatNetwork& network, const proto::QuantizeSpec& spec) {
  return !spec.per_channel() && std::none_of(network.layers.begin(), network.layers.end(), [](const FloatLayer& layer) {
    return layer.shape.kind == LayerKind::kAdd;
  });
}

proto::AccuracyStep CountIntegers(proto::QuantizeStage stage, const IntegerPredictions& found,
                                  const std::vector<Prediction>& fp32, const std::vector<uint8_t>& labels) {
  proto::AccuracyStep step = CountAccuracy(stage, found.predictions, fp32, labels);
  step.set_logits_sha256(found.logits_sha256);
  return step;
}

// `network` gives the fp32 accuracy; `corrected`, the same or with other biases, is what was made int8.
absl::Status RecordAccuracies(const FloatNetwork& network, const FloatNetwork& corrected, const IntegerNetwork& integer,
                              const ImageSet& test, const NormalizationTable& normalization, const ImageTable& table,
                              const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                              proto::QuantizedNetwork& record) {
  const std::vector<uint8_t>& labels = test.labels;
  ASSIGN_OR_RETURN(const std::vector<Prediction> fp32,
                   PredictFloat(network, test, normalization, absl::StrCat(network.name, " fp32")));
  *record.add_step() = CountAccuracy(proto::FP32_NETWORK, fp32, fp32, labels);

  ASSIGN_OR_RETURN(const std::vector<Prediction> weights,
                   PredictFloat(WithInt8Weights(corrected, record), test, normalization,
                                absl::StrCat(network.name, " int8 weights")));
  *record.add_step() = CountAccuracy(proto::INT8_WEIGHTS, weights, fp32, labels);

  ASSIGN_OR_RETURN(const IntegerPredictions activations,
                   PredictInteger(WithFloatBias(integer, corrected, record), test, table, make,
                                  absl::StrCat(network.name, " int8 weights and activations")));
  *record.add_step() = CountIntegers(proto::INT8_WEIGHTS_ACTIVATIONS, activations, fp32, labels);

  if (!record.has_bias()) {
    proto::AccuracyStep& absent = *record.add_step();
    absent.set_stage(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS);
    absent.set_absent_reason("the network has no bias");
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const IntegerPredictions all,
                   PredictInteger(integer, test, table, make, absl::StrCat(network.name, " int8 throughout")));
  *record.add_step() = CountIntegers(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS, all, fp32, labels);

  if (!IsTheLabs(network, spec)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<Prediction> unscaled,
                   PredictFloat(WithUnscaledInt8Weights(network, record), test, normalization,
                                absl::StrCat(network.name, " int8 weights, biases unscaled")));
  *record.add_step() = CountAccuracy(proto::INT8_WEIGHTS_UNSCALED_BIAS, unscaled, fp32, labels);
  return absl::OkStatus();
}

// Which layers cost the accuracy, if that is asked for.
absl::Status RecordStudy(const FloatNetwork& network, const Dataset& dataset, const NormalizationTable& normalization,
                         const proto::QuantizeSpec& spec, proto::QuantizedNetwork& record) {
  if (spec.study_images() == 0) {
    return absl::OkStatus();
  }
  std::vector<uint32_t> order =
      FirstOfOrder(dataset.train, spec.seed(), spec.calibration_images() + spec.study_images());
  order.erase(order.begin(), order.begin() + spec.calibration_images());
  const ImageSelection images = {dataset.train, std::move(order), normalization};
  ASSIGN_OR_RETURN(proto::LayerStudy study,
                   StudyLayers(network, record, images, absl::StrCat(network.name, " layer by layer")));
  if (spec.wanted_drop() > 0) {
    RETURN_IF_ERROR(AddFallback(network, record, images, dataset.test, spec.wanted_drop(),
                                absl::StrCat(network.name, " back to fp32"), study));
  }
  *record.mutable_study() = std::move(study);
  return absl::OkStatus();
}

}  // namespace

std::vector<uint32_t> ReplayIndices(const ImageSet& test, const proto::QuantizeSpec& spec) {
  return FirstOfOrder(test, spec.seed(), kReplayImages);
}

absl::Status RecordNormalization(const Dataset& dataset, proto::QuantizedNetwork& record) {
  LoaderOptions normalization;
  RETURN_IF_ERROR(NormalizeAsTrained(dataset.train.info, normalization));
  record.mutable_mean()->Add(normalization.mean.begin(), normalization.mean.end());
  record.mutable_std()->Add(normalization.std.begin(), normalization.std.end());
  return absl::OkStatus();
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
  if (dataset.test.size() == 0) {
    return absl::FailedPreconditionError("the data set has no test images to measure an accuracy on");
  }
  return absl::OkStatus();
}

absl::StatusOr<proto::QuantizedNetwork> QuantizeNetwork(const FloatNetwork& network, const Dataset& dataset,
                                                        const proto::QuantizeSpec& spec,
                                                        const MakeIntegerRunner& make) {
  RETURN_IF_ERROR(CheckSpec(spec, dataset));
  proto::QuantizedNetwork normalization_only;
  RETURN_IF_ERROR(RecordNormalization(dataset, normalization_only));
  ASSIGN_OR_RETURN(const NormalizationTable normalization, NormalizationOf(normalization_only));
  const ImageSelection calibration_images = {
      dataset.train, FirstOfOrder(dataset.train, spec.seed(), spec.calibration_images()), normalization};

  ASSIGN_OR_RETURN(const Calibration calibration, Calibrate(network, calibration_images, spec.first_sample_range(),
                                                            absl::StrCat(network.name, " calibration")));
  ASSIGN_OR_RETURN(proto::QuantizedNetwork record, QuantizeLayers(network, calibration, spec));
  FloatNetwork corrected = network;
  if (spec.bias_correction()) {
    ASSIGN_OR_RETURN(corrected, WithCorrectedBiases(network, record, calibration_images,
                                                    absl::StrCat(network.name, " bias correction")));
    ASSIGN_OR_RETURN(record, QuantizeLayers(corrected, calibration, spec));
  }
  record.MergeFrom(normalization_only);

  ASSIGN_OR_RETURN(const IntegerNetwork integer, ToIntegerNetwork(record));
  ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(record));
  RETURN_IF_ERROR(RecordTraces(integer, calibration_images, table, record));
  RETURN_IF_ERROR(
      RecordAccuracies(network, corrected, integer, dataset.test, normalization, table, spec, make, record));
  RETURN_IF_ERROR(RecordStudy(corrected, dataset, normalization, spec, record));
  RETURN_IF_ERROR(AddReplaySamples(dataset.test, ReplayIndices(dataset.test, spec), make, record));
  return record;
}

}  // namespace lockstep
