// ONNX models in the QOperator form as our records, so that a network that others quantized is run by us.
//
// Understood: QuantizeLinear of the image; QLinearConv; QLinearMatMul, QGemm and, at the end, MatMulInteger with an Add of
// its int32 bias; QLinearAdd; QLinearGlobalAveragePool, and QLinearAveragePool over all pixels; MaxPool, Flatten, Reshape
// to (N, features), Relu and Clip, also between a DequantizeLinear and a QuantizeLinear of the same scale and zero
// point; DequantizeLinear of the logits. Activations int8 or uint8; weights, less their zero point, in [-127, 127], with
// one scale or one for each output channel; square kernels, one stride, one padding; no groups, no dilation.
//
// The integers are those that ONNX Runtime computes, with two exceptions, by which a value on the edge between two
// integers can differ by 1:
//     - QLinearAdd of int8 tensors. A record's addition is that of uint8 (lib/int8/requantize.h), whose offset is rounded
//       elsewhere: 47 of 9.8 million sums of random scales differ (ONNX Runtime 1.23.2 and 1.32.0).
//     - QLinearAveragePool, and GlobalAveragePool and AveragePool between a DequantizeLinear and a QuantizeLinear, which
//       ONNX Runtime computes in float32.
#ifndef LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_
#define LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_

#include "absl/status/statusor.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// The network, of version 2: what only fp32 weights and images can say stays unset (record_builder.h), and so do mean and
// std unless the model's metadata have them, as export_onnx.h writes them. Layers have the names of their weights
// ("conv1" of "conv1.weight"), else of their nodes. A layer whose zero point is -128 has ReLU: the clamp does it.
//
// What ExportOnnx wrote is the same IntegerNetwork again, but that a convolution whose kernel covers its input is "linear".
//
// FailedPrecondition names the node and the operator that is not ours. DataLoss: the file contradicts itself.
absl::StatusOr<proto::QuantizedNetwork> ImportOnnx(const ::onnx::ModelProto& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_IMPORT_ONNX_H_
