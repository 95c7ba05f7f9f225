// Change of a tensor's scale and zero point between two layers: a DequantizeLinear and a QuantizeLinear with other
// parameters.
//
// A record has no such layer. A 1x1 convolution whose weights are the identity takes its place: it computes
// round(float32(value - zero point) * multiplier) + zero point, where ONNX Runtime computes
// round(float32(float32(value - zero point) * input step) / output step) + zero point.
#ifndef LOCKSTEP_LIB_ONNX_RESCALE_H_
#define LOCKSTEP_LIB_ONNX_RESCALE_H_

#include <cstdint>
#include <optional>

#include "lib/onnx/record_builder.h"

namespace lockstep {

// Returns what ONNX Runtime makes of the int8 value `value`: DequantizeLinear by `input`, then QuantizeLinear by
// `output`, each operation rounded to float32. Reference of RescaleStep.
int8_t RescaleReference(int8_t value, const TensorParams& input, const TensorParams& output);

// Returns the step of the identity's weights with which most of the 256 values, as a rule all, equal RescaleReference:
// 1, or one of the nearest float32 numbers. A value that differs does so by 1, and lies within two roundings of float32
// of the middle between two integers. For a ratio of steps such as 2, real results lie in that middle, and ONNX
// Runtime's roundings decide value by value. Returns nullopt if the ratio of steps is not a normal float32 number.
std::optional<float> RescaleStep(const TensorParams& input, const TensorParams& output);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_RESCALE_H_
