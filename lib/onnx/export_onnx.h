// Our int8 networks as ONNX models in the QOperator form, whose integers ONNX Runtime computes bit for bit as
// lib/int8/integer_reference.h does. tests/peers/onnx_test.py compares every tensor.
//
// Opset 13 of ONNX and version 1 of com.microsoft (QLinearAdd, QLinearGlobalAveragePool); IR version 8.
//
//     image       float32 (N, 3, 32, 32), normalised
//     NAME        uint8 (N, channels, height, width): what layer NAME writes, int8 value + 128
//     logits      int32 (N, classes), the sums of a last layer that writes sums; else uint8, int8 value + 128
//
// Weights are NAME.weight, int8, and NAME.bias, int32, as PyTorch names and lays them out. A fully connected layer is a
// QLinearConv whose kernel covers its input, so its weights are (out, channels, height, width). One that writes sums is
// a MatMulInteger of NAME.weight_transposed, (in, out).
//
// Scales in the file are the float32 steps from which the record's multipliers were computed (lib/int8/requantize.h).
#ifndef LOCKSTEP_LIB_ONNX_EXPORT_ONNX_H_
#define LOCKSTEP_LIB_ONNX_EXPORT_ONNX_H_

#include "absl/status/statusor.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

struct ExportOnnxOptions {
  // Makes what each layer writes, and the quantized image ("image_quantized"), an output of the graph after `logits`, so
  // that a checker can compare each.
  bool all_tensors = false;
};

// Reproduces a record of version 2. DataLoss: as ToIntegerNetwork. FailedPrecondition names the layer: a record of
// version 1, a multiplier that is not the one of its scales, logits that are more than one value for each class, or two
// tensors of one name.
absl::StatusOr<::onnx::ModelProto> ExportOnnx(const proto::QuantizedNetwork& record,
                                              const ExportOnnxOptions& options = ExportOnnxOptions());

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_EXPORT_ONNX_H_
