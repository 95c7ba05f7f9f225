// Import of ONNX models that were quantized statically as our records, so that Lockstep can run networks quantized
// elsewhere.
//
// Two forms, also mixed in one model:
// - QOperator: QLinearConv, QLinearMatMul, QGemm, QLinearAdd, QLinearGlobalAveragePool, and QLinearAveragePool over all
//   pixels; at the end, MatMulInteger with an Add of its int32 bias
// - QDQ: Conv, Gemm, MatMul, Add, GlobalAveragePool and AveragePool in float32 between a DequantizeLinear and a
//   QuantizeLinear. The last layer may lack the QuantizeLinear; its logits are then int32 sums.
// In both forms: QuantizeLinear of the image; MaxPool, Flatten, Reshape to (N, features), Relu and Clip on quantized or
// dequantized values; DequantizeLinear of the logits, Softmax, LogSoftmax or QLinearSoftmax of them; Identity, Dropout,
// Cast to float32; and the nodes of shape_values.h, which compute the shape of a Reshape.
//
// Activations must be int8 or uint8; weights may be int8 or uint8, with one scale and zero point, or one of each per
// output channel. Kernels must be square, with one stride and one padding, no groups, no dilation.
//
// Some nodes have no layer of a record, and become layers that compute the same integers:
// - A QuantizeLinear of dequantized values that has another scale or zero point becomes a 1x1 convolution, the identity
//   (rescale.h).
// - Weights beyond [-127, 127] become two or three weights over as many copies of the input, which a 1x1 convolution
//   writes (node_weights.h).
// - A constant that QLinearAdd or Add adds becomes a layer of weights 0 whose bias is the constant.
//
// The integers are those of ONNX Runtime, which by default runs the QDQ form with the operators of the QOperator form.
// The predictions are those of the logits: QLinearSoftmax rounds probabilities, so that several can be the largest.
// Exceptions, in which a value on the edge between two integers can differ by 1:
//     - QLinearAdd of int8 tensors. A record's addition is that of uint8 (lib/int8/requantize.h), whose offset is
//       rounded elsewhere: 47 of 9.8 million sums of random scales differ (ONNX Runtime 1.23.2 and 1.32.0).
//     - QLinearAveragePool, and GlobalAveragePool and AveragePool between a DequantizeLinear and a QuantizeLinear,
//       which ONNX Runtime computes in float32.
//     - A change of scale by a ratio such as 2, for which real results lie in the middle between two integers
//       (rescale.h).
//     - Layers of the QDQ form that ONNX Runtime leaves in float32, for example those with a float32 bias. A float32
//       sum of n products is off by at most (n + 3) 2^-24 times the sum of their magnitudes, and a float32 bias is
//       rounded here to a unit of the sum. A value differs only if its sum lies that close to an edge.
#ifndef LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_
#define LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_

#include "absl/status/statusor.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Values of QuantizedNetwork.onnx_form.
inline constexpr char kQOperatorForm[] = "QOperator", kQdqForm[] = "QDQ", kMixedForm[] = "QDQ and QOperator";

// Returns the network as a record of version 2. Fields that require fp32 weights and images stay unset
// (record_builder.h); so do mean and std unless the model's metadata contain them, as export_onnx.h writes them. Layers
// are named after their weights ("conv1" for "conv1.weight"), or else after their nodes. A layer whose zero point is
// -128 has ReLU, because the clamp acts as one. onnx_form is one of the forms below.
//
// A model that ExportOnnx wrote gives the same IntegerNetwork again, except that a convolution whose kernel covers its
// input becomes "linear".
//
// FailedPrecondition: an unsupported operator; names it and the node. DataLoss: the file contradicts itself.
absl::StatusOr<proto::QuantizedNetwork> ImportOnnx(const ::onnx::ModelProto& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_
