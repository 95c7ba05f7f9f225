// What a network says of every image, in fp32 by LibTorch and in int8; and its activations, for calibration.
#ifndef LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_
#define LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/calibration.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/replay.h"

namespace lockstep {

// All show progress on stderr under `label`, and return Cancelled when a stop was asked for. LibTorch computes on `device`.

// FailedPrecondition: a logit is NaN or infinite; names the image.
absl::StatusOr<std::vector<Prediction>> PredictFloat(const FloatNetwork& network, const ImageSet& images,
                                                     const NormalizationTable& normalization, const std::string& label,
                                                     c10::Device device);

struct IntegerPredictions {
  std::vector<Prediction> predictions;
  std::string logits_sha256;  // as AccuracyStep has it
};

// `table`: what the network's record makes of an image's bytes. `make`: by what it is run.
absl::StatusOr<IntegerPredictions> PredictInteger(const IntegerNetwork& network, const ImageSet& images,
                                                  const ImageTable& table, const MakeIntegerRunner& make,
                                                  const std::string& label);

// The fp32 network's activations on some images, run by LibTorch. With `first_samples`, of the last layer only those of
// every fourth image: the lab's script looks at the first sample of each of its batches of 4 there. FailedPrecondition:
// an activation is NaN or infinite; names the layer.
absl::StatusOr<Calibration> Calibrate(const FloatNetwork& network, const ImageSelection& images, bool first_samples,
                                      const std::string& label, c10::Device device);

// The network with each bias less what the rounding of its layer's weights adds to the output on the mean of these images
// (M. Nagel et al., Data-Free Quantization, 2019, by images instead of batch norm's statistics). A layer without biases
// stays as it is. `record`: what int8 makes of the network.
absl::StatusOr<FloatNetwork> WithCorrectedBiases(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                                 const ImageSelection& images, const std::string& label,
                                                 c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_
