// Weights of layers, from quantized operators and from dequantized constants.
//
// A record's weights lie in [-127, 127]. A file's weights, less their zero points, may lie in [-255, 255]: each is then
// the sum of two or three weights of a record (SplitWeights), over as many copies of the layer's input.
//
// Errors as in onnx_graph.h: DataLoss and FailedPrecondition, with the node's name.
#ifndef LOCKSTEP_LIB_ONNX_NODE_WEIGHTS_H_
#define LOCKSTEP_LIB_ONNX_NODE_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/onnx/onnx_graph.h"
#include "lib/onnx/record_builder.h"

namespace lockstep {

struct NodeWeights {
  std::vector<int64_t> dims;
  std::vector<int16_t> values;  // weights in the file's layout, less their zero points
  std::vector<float> steps;     // one, or one for each output channel
};

// Reads weights of `dims` dimensions and their zero points from inputs `index` and `zero_point_index`, but not their
// steps. Dimension `out` counts the output channels; there may be one zero point for each.
absl::StatusOr<NodeWeights> ReadWeights(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, size_t dims,
                                        size_t out, int zero_point_index);

// Reads the steps of weights from input `index`.
absl::Status ReadSteps(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, NodeWeights& weights);

// Reads weights with their steps from `dequantize`, a DequantizeLinear of constants. Steps must be one, or along
// dimension `out`.
absl::StatusOr<NodeWeights> ReadDequantizedWeights(const OnnxGraph& graph, const ::onnx::NodeProto& dequantize,
                                                   size_t dims, size_t out);

// Transposes weights from (in, out) to (out, in).
void TransposeWeights(NodeWeights& file);

// Returns the number of int8 weights that the sum of each weight takes: 1 to 3.
uint32_t TermsPerWeight(const NodeWeights& file);

// Returns weights over `terms` copies of the input channels, copy after copy, whose sums are the weights of `file`,
// which must be (out, in, ...). `terms` must be at least TermsPerWeight(file).
QuantizedWeights SplitWeights(const NodeWeights& file, uint32_t terms);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_NODE_WEIGHTS_H_
