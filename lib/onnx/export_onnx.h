// Export of our int8 networks as ONNX models in the QOperator form. ONNX Runtime computes the same integers from them
// as lib/int8/integer_reference.h, bit for bit. tests/peers/onnx_test.py compares every tensor.
//
// Opset 13 of ONNX and version 1 of com.microsoft (QLinearAdd, QLinearGlobalAveragePool); IR version 8.
//
//     image       float32 (N, 3, 32, 32), normalised
//     NAME        uint8 (N, channels, height, width): the output of layer NAME, int8 value + 128
//     logits      int32 (N, classes), the sums of a last layer that writes sums; else uint8, int8 value + 128
//
// Weights are NAME.weight, int8, and NAME.bias, int32, with PyTorch's names and layouts. A fully connected layer is a
// QLinearConv whose kernel covers its input, so its weights are (out, channels, height, width). A layer that writes
// sums is a MatMulInteger with NAME.weight_transposed, (in, out).
//
// Scales in the file are the float32 steps from which the record's multipliers were computed (lib/int8/requantize.h).
#ifndef LOCKSTEP_LIB_ONNX_EXPORT_ONNX_H_
#define LOCKSTEP_LIB_ONNX_EXPORT_ONNX_H_

#include "absl/status/statusor.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

struct ExportOnnxOptions {
  // True: each layer's output, and the quantized image ("image_quantized"), become outputs of the graph after `logits`,
  // so that a checker can compare them.
  bool all_tensors = false;
};

// Exports a record of version 2. DataLoss: as ToIntegerNetwork. FailedPrecondition, with the layer's name: a record of
// version 1, a multiplier that does not follow from its scales, more than one logit per class, or two tensors of the
// same name.
absl::StatusOr<::onnx::ModelProto> ExportOnnx(const proto::QuantizedNetwork& record,
                                              const ExportOnnxOptions& options = ExportOnnxOptions());

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_EXPORT_ONNX_H_
