// Biases of layers, in units of input step * weight step: int32 inputs of quantized operators, dequantized constants,
// and float32 constants.
//
// Errors as in onnx_graph.h: DataLoss and FailedPrecondition, with the node's name.
#ifndef LOCKSTEP_LIB_ONNX_NODE_BIAS_H_
#define LOCKSTEP_LIB_ONNX_NODE_BIAS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/onnx/node_weights.h"
#include "lib/onnx/onnx_graph.h"

namespace lockstep {

// Reads an int32 bias from input `index`. Returns an empty bias if the node does not have this input.
absl::StatusOr<std::vector<int32_t>> ReadBias(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index);

// Reads the int32 bias of a layer with `weights` over an input of step `input_step` from `dequantize`, a
// DequantizeLinear of constants. Its scales must be those of the layer's sums, input step * weight step.
absl::StatusOr<std::vector<int32_t>> ReadDequantizedBias(const OnnxGraph& graph, const ::onnx::NodeProto& dequantize,
                                                         float input_step, const NodeWeights& weights);

// Rounds a float32 bias, input `index` of `node`, to the scales of the layer's sums.
absl::StatusOr<std::vector<int32_t>> RoundFloatBias(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index,
                                                    float input_step, const NodeWeights& weights);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_NODE_BIAS_H_
