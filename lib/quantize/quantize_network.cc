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
#include "lib/quantize/stage_predictions.h"

namespace lockstep {
namespace {

// The first `count` of the seed's permutation of `images`: spread over all classes even when the set is sorted.
std::vector<uint32_t> FirstOfOrder(const ImageSet& images, uint64_t seed, uint32_t count) {
  std::vector<uint32_t> order = EpochOrder(static_cast<uint32_t>(images.size()), seed, /*epoch=*/0);
  order.resize(std::min<size_t>(order.size(), count));
  return order;
}

// As in training: mean and image_std of the training split.
absl::Status RecordNormalization(const Dataset& dataset, proto::QuantizedNetwork& record) {
  LoaderOptions normalization;
  RETURN_IF_ERROR(NormalizeAsTrained(dataset.train.info, normalization));
  record.mutable_mean()->Add(normalization.mean.begin(), normalization.mean.end());
  record.mutable_std()->Add(normalization.std.begin(), normalization.std.end());
  return absl::OkStatus();
}

// What only running the int8 network on the calibration images can tell.
absl::Status RecordTraces(const IntegerNetwork& network, const ImageSelection& images,
                          proto::QuantizedNetwork& record) {
  std::vector<IntegerTrace> traces(network.layers.size());
  for (const uint32_t index : images.indices) {
    RETURN_IF_ERROR(CheckNotStopped());
    const uint8_t* pixels = images.set.pixels.data() + size_t{index} * kImageBytes;
    RunInteger(network, QuantizeImage(pixels, images.normalization, record.input_scale()).data(), &traces);
  }
  for (size_t i = 0; i < traces.size(); ++i) {
    proto::QuantizedLayer& layer = *record.mutable_layer(static_cast<int>(i));
    layer.set_accumulator_max_abs(traces[i].accumulator_max_abs);
    layer.set_activation_saturated_fraction(static_cast<double>(traces[i].saturated) /
                                            static_cast<double>(traces[i].outputs));
  }
  return absl::OkStatus();
}

absl::Status RecordAccuracies(const FloatNetwork& network, const IntegerNetwork& integer, const ImageSet& test,
                              const NormalizationTable& normalization, proto::QuantizedNetwork& record) {
  const std::vector<uint8_t>& labels = test.labels;
  ASSIGN_OR_RETURN(const std::vector<Prediction> fp32,
                   PredictFloat(network, test, normalization, absl::StrCat(network.name, " fp32")));
  *record.add_step() = CountAccuracy(proto::FP32_NETWORK, fp32, fp32, labels);

  ASSIGN_OR_RETURN(
      const std::vector<Prediction> weights,
      PredictFloat(WithInt8Weights(network, record), test, normalization, absl::StrCat(network.name, " int8 weights")));
  *record.add_step() = CountAccuracy(proto::INT8_WEIGHTS, weights, fp32, labels);

  ASSIGN_OR_RETURN(const std::vector<Prediction> activations,
                   PredictInteger(WithFloatBias(integer, network, record), test, normalization, record.input_scale(),
                                  absl::StrCat(network.name, " int8 weights and activations")));
  *record.add_step() = CountAccuracy(proto::INT8_WEIGHTS_ACTIVATIONS, activations, fp32, labels);

  if (!record.has_bias()) {
    proto::AccuracyStep& absent = *record.add_step();
    absent.set_stage(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS);
    absent.set_absent_reason("the network has no bias");
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<Prediction> all, PredictInteger(integer, test, normalization, record.input_scale(),
                                                                     absl::StrCat(network.name, " int8 throughout")));
  *record.add_step() = CountAccuracy(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS, all, fp32, labels);

  ASSIGN_OR_RETURN(const std::vector<Prediction> unscaled,
                   PredictFloat(WithUnscaledInt8Weights(network, record), test, normalization,
                                absl::StrCat(network.name, " int8 weights, biases unscaled")));
  *record.add_step() = CountAccuracy(proto::INT8_WEIGHTS_UNSCALED_BIAS, unscaled, fp32, labels);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSpec(const proto::QuantizeSpec& spec, const Dataset& dataset) {
  if (spec.calibration_images() == 0 || spec.calibration_images() > dataset.train.size()) {
    return absl::InvalidArgumentError(absl::StrCat("--calibration_images=", spec.calibration_images(),
                                                   ": expected 1 to ", dataset.train.size(),
                                                   ", the images of the training split"));
  }
  if (dataset.test.size() == 0) {
    return absl::FailedPreconditionError("the data set has no test images to measure an accuracy on");
  }
  return absl::OkStatus();
}

absl::StatusOr<proto::QuantizedNetwork> QuantizeNetwork(const FloatNetwork& network, const Dataset& dataset,
                                                        const proto::QuantizeSpec& spec) {
  RETURN_IF_ERROR(CheckSpec(spec, dataset));
  proto::QuantizedNetwork normalization_only;
  RETURN_IF_ERROR(RecordNormalization(dataset, normalization_only));
  ASSIGN_OR_RETURN(const NormalizationTable normalization, NormalizationOf(normalization_only));
  const ImageSelection calibration_images = {
      dataset.train, FirstOfOrder(dataset.train, spec.seed(), spec.calibration_images()), normalization};

  ASSIGN_OR_RETURN(const Calibration calibration, Calibrate(network, calibration_images));
  ASSIGN_OR_RETURN(proto::QuantizedNetwork record, QuantizeLayers(network, calibration, spec.weight_range()));
  record.MergeFrom(normalization_only);

  ASSIGN_OR_RETURN(const IntegerNetwork integer, ToIntegerNetwork(record));
  RETURN_IF_ERROR(RecordTraces(integer, calibration_images, record));
  RETURN_IF_ERROR(RecordAccuracies(network, integer, dataset.test, normalization, record));
  for (const uint32_t index : FirstOfOrder(dataset.test, spec.seed(), kReplayImages)) {
    RETURN_IF_ERROR(AddReplaySample(integer, index, dataset.test.pixels.data() + size_t{index} * kImageBytes, record));
  }
  return record;
}

}  // namespace lockstep
