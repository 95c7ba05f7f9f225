// Predictions of a network for every image, in fp32 by LibTorch and in int8; and its activations, for calibration.
#ifndef LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_
#define LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/progress.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/calibration.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/replay.h"

namespace lockstep {

// All functions show progress on stderr as `part`, and return CancelledError if a stop was requested. LibTorch
// computes on `device`.

// Returns the fp32 predictions. FailedPrecondition: a logit is NaN or infinite; names the image.
absl::StatusOr<std::vector<Prediction>> PredictFloat(const FloatNetwork& network, const ImageSet& images,
                                                     const NormalizationTable& normalization, const ProgressPart& part,
                                                     c10::Device device);

struct IntegerPredictions {
  std::vector<Prediction> predictions;
  std::string logits_sha256;  // digest of all logits, for AccuracyStep
};

// Returns the predictions of the int8 network. `table`: int8 values of an image's bytes, from the network's record.
// `make`: runner of the network.
absl::StatusOr<IntegerPredictions> PredictInteger(const IntegerNetwork& network, const ImageSet& images,
                                                  const ImageTable& table, const MakeIntegerRunner& make,
                                                  const ProgressPart& part);

// Collects the fp32 network's activations on some images, run by LibTorch. With `first_samples`, the last layer's
// activations are those of every fourth image only: there the lab's script looks at the first sample of each of its
// batches of 4. FailedPrecondition: an activation is NaN or infinite; names the layer.
absl::StatusOr<Calibration> Calibrate(const FloatNetwork& network, const ImageSelection& images, bool first_samples,
                                      const ProgressPart& part, c10::Device device);

// Returns the network with corrected biases: from each bias, subtracts the mean change of the output, over these
// images, that the rounding of the layer's weights causes (M. Nagel et al., Data-Free Quantization, 2019, with images
// instead of batch norm's statistics). A layer without biases does not change. `record`: the int8 form of the network.
absl::StatusOr<FloatNetwork> WithCorrectedBiases(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                                 const ImageSelection& images, const ProgressPart& part,
                                                 c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_
