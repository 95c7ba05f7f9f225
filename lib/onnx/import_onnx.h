// Import of ONNX models in the QOperator form as our records, so that Lockstep can run networks quantized elsewhere.
//
// Supported operators:
// - QuantizeLinear of the image; QLinearConv; QLinearMatMul and QGemm; at the end, MatMulInteger with an Add of its
//   int32 bias
// - QLinearAdd; QLinearGlobalAveragePool, and QLinearAveragePool over all pixels
// - MaxPool, Flatten, Reshape to (N, features), Relu and Clip, also between a DequantizeLinear and a QuantizeLinear of
//   the same scale and zero point
// - DequantizeLinear of the logits
// Activations must be int8 or uint8; weights, less their zero point, must lie in [-127, 127], with one scale or one per
// output channel. Kernels must be square, with one stride and one padding, no groups, no dilation.
//
// The integers are those of ONNX Runtime, with two exceptions, in which a value on the edge between two integers can
// differ by 1:
//     - QLinearAdd of int8 tensors. A record's addition is that of uint8 (lib/int8/requantize.h), whose offset is
//       rounded elsewhere: 47 of 9.8 million sums of random scales differ (ONNX Runtime 1.23.2 and 1.32.0).
//     - QLinearAveragePool, and GlobalAveragePool and AveragePool between a DequantizeLinear and a QuantizeLinear,
//       which ONNX Runtime computes in float32.
#ifndef LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_
#define LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_

#include "absl/status/statusor.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Returns the network as a record of version 2. Fields that require fp32 weights and images stay unset
// (record_builder.h); so do mean and std unless the model's metadata contain them, as export_onnx.h writes them. Layers
// are named after their weights ("conv1" for "conv1.weight"), or else after their nodes. A layer whose zero point is
// -128 has ReLU, because the clamp acts as one.
//
// A model that ExportOnnx wrote gives the same IntegerNetwork again, except that a convolution whose kernel covers its
// input becomes "linear".
//
// FailedPrecondition: an unsupported operator; names it and the node. DataLoss: the file contradicts itself.
absl::StatusOr<proto::QuantizedNetwork> ImportOnnx(const ::onnx::ModelProto& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_
