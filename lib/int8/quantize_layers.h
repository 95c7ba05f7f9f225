// The lab's quantization steps for the layers of one network, in the lab's order: weights, activations, biases.
#ifndef LOCKSTEP_LIB_INT8_QUANTIZE_LAYERS_H_
#define LOCKSTEP_LIB_INT8_QUANTIZE_LAYERS_H_

#include "absl/status/statusor.h"
#include "lib/int8/calibration.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Fills name, has_bias, the input's scale and histogram, and every layer except the fields that require a run of the
// int8 network (such as activation_saturated_fraction and accumulator_max_abs).
//
// `calibration` must be of the fp32 network, as in the lab: the ranges do not depend on the rounding of weights. `spec`
// selects how ranges and scales are chosen. A last layer that is weighted and has no ReLU or max-pooling writes its
// int32 sums, unless spec.int8_logits(). Its weights have a single scale even with spec.per_channel(), so that its sums
// are comparable. Returns FailedPreconditionError with the tensor's name if int8 or int32 cannot represent a value.
absl::StatusOr<proto::QuantizedNetwork> QuantizeLayers(const FloatNetwork& network, const Calibration& calibration,
                                                       const proto::QuantizeSpec& spec);

// Returns the fp32 network with each weight replaced by its int8 value divided by the scale: the lab's second step.
FloatNetwork WithInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized);

// Returns the fp32 network with each weight replaced by its int8 value, as in the lab's script. Without biases this
// multiplies the logits by a positive number and changes no prediction. Biases, if any, are too small by the product of
// the scales of their own layer and of all layers before.
FloatNetwork WithUnscaledInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANTIZE_LAYERS_H_
