// QuantizeLinear of constant float32 weights, computed at import.
#ifndef LOCKSTEP_LIB_ONNX_QUANTIZE_CONSTANT_H_
#define LOCKSTEP_LIB_ONNX_QUANTIZE_CONSTANT_H_

#include "absl/status/statusor.h"
#include "lib/onnx/onnx.pb.h"

namespace lockstep {

// Returns the int8 or uint8 tensor that `node`, a QuantizeLinear of these constants, computes, without a name. There
// may be one scale and zero point, or one for each index of the dimension `axis`. `zero_point` may be null: uint8 with
// zero point 0. Errors as in onnx_graph.h.
absl::StatusOr<::onnx::TensorProto> QuantizeConstant(const ::onnx::NodeProto& node, const ::onnx::TensorProto& weights,
                                                     const ::onnx::TensorProto& scale,
                                                     const ::onnx::TensorProto* zero_point);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_QUANTIZE_CONSTANT_H_
