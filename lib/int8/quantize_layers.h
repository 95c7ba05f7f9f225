// The lab's steps on one network's layers, in the lab's order: weights, activations, biases.
#ifndef LOCKSTEP_LIB_INT8_QUANTIZE_LAYERS_H_
#define LOCKSTEP_LIB_INT8_QUANTIZE_LAYERS_H_

#include "absl/status/statusor.h"
#include "lib/int8/calibration.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Fills name, has_bias, the input's scale and histogram, and every layer but what only running the int8 network can
// tell (activation_saturated_fraction, accumulator_max_abs).
//
// `calibration` is of the fp32 network, as in the lab: the ranges do not depend on how weights are rounded. `spec` says
// how ranges and scales are chosen. The last layer, when it is a weighted one without ReLU, writes its int32 sums unless
// spec.int8_logits(); its weights have one scale even with spec.per_channel(), so that its sums can be compared.
// FailedPrecondition: a value that int8 or int32 cannot represent; names the tensor.
absl::StatusOr<proto::QuantizedNetwork> QuantizeLayers(const FloatNetwork& network, const Calibration& calibration,
                                                       const proto::QuantizeSpec& spec);

// The fp32 network with each weight replaced by its int8 value divided by the scale: the lab's second step.
FloatNetwork WithInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized);

// The fp32 network with each weight replaced by its int8 value, as the lab's script has it. Without biases that
// multiplies the logits by a positive number and changes no prediction; biases become too small by the scales of their
// own and all layers before.
FloatNetwork WithUnscaledInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANTIZE_LAYERS_H_
