// What a network says of every test image, in fp32 by LibTorch and in int8 by plain loops.
#ifndef LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_
#define LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network.h"

namespace lockstep {

// Both show progress on stderr under `label`, and return Cancelled when a stop was asked for.

// FailedPrecondition: a logit is NaN or infinite; names the image.
absl::StatusOr<std::vector<Prediction>> PredictFloat(const FloatNetwork& network, const ImageSet& images,
                                                     const NormalizationTable& normalization, const std::string& label);

absl::StatusOr<std::vector<Prediction>> PredictInteger(const IntegerNetwork& network, const ImageSet& images,
                                                       const NormalizationTable& normalization, double input_scale,
                                                       const std::string& label);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_STAGE_PREDICTIONS_H_
