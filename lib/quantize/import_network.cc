#include "lib/quantize/import_network.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/quantized_record.h"
#include "lib/quantize/quantize_network.h"
#include "lib/quantize/stage_predictions.h"

namespace lockstep {
namespace {

absl::Status CheckImagesAndLogits(const IntegerNetwork& network, size_t classes) {
  if (const Extent in = network.layers.front().shape.In(); in != Extent{kImageHeight, kImageWidth, kImageChannels}) {
    return absl::FailedPreconditionError(absl::StrCat(network.name, ": reads images of ", in.channels, " x ", in.height,
                                                      " x ", in.width, "; the data set's are 3 x 32 x 32"));
  }
  if (const size_t logits = network.layers.back().shape.Pooled().Size(); logits != classes) {
    return absl::FailedPreconditionError(
        absl::StrCat(network.name, ": gives ", logits, " logits; the data set has ", classes, " classes"));
  }
  return absl::OkStatus();
}

// Counts correct predictions and ties. There is no fp32 network to compare with.
proto::AccuracyStep CountAlone(const IntegerPredictions& found, const std::vector<uint16_t>& labels) {
  const proto::AccuracyStep counted = CountAccuracy(proto::FP32_NETWORK, found.predictions, found.predictions, labels);
  proto::AccuracyStep step;
  step.set_stage(proto::INT8_WEIGHTS_ACTIVATIONS_BIAS);
  step.set_correct(counted.correct());
  step.set_images(counted.images());
  step.set_argmax_ties(counted.argmax_ties());
  step.set_logits_sha256(found.logits_sha256);
  return step;
}

std::string PartLabel(const proto::QuantizedNetwork& network) { return absl::StrCat(network.name(), " int8"); }

}  // namespace

void ExpectParts(const proto::QuantizedNetwork& network, uint64_t test_images, RunParts& parts) {
  parts.Expect(PartLabel(network), static_cast<double>(test_images));
}

absl::StatusOr<proto::QuantizedNetwork> MeasureImported(proto::QuantizedNetwork network, const Dataset& dataset,
                                                        const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                                                        RunParts& parts) {
  ASSIGN_OR_RETURN(const IntegerNetwork integer, ToIntegerNetwork(network));
  RETURN_IF_ERROR(CheckImagesAndLogits(integer, static_cast<size_t>(dataset.test.info.class_name_size())));
  ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(network));
  ASSIGN_OR_RETURN(const IntegerPredictions predictions,
                   PredictInteger(integer, dataset.test, table, make, parts.Begin(PartLabel(network))));
  for (const proto::QuantizeStage stage : {proto::FP32_NETWORK, proto::INT8_WEIGHTS, proto::INT8_WEIGHTS_ACTIVATIONS}) {
    proto::AccuracyStep& absent = *network.add_step();
    absent.set_stage(stage);
    absent.set_absent_reason("the network was imported in int8 from an ONNX file");
  }
  *network.add_step() = CountAlone(predictions, dataset.test.labels);
  RETURN_IF_ERROR(AddReplaySamples(dataset.test, ReplayIndices(dataset.test, spec), make, network));
  return network;
}

}  // namespace lockstep
