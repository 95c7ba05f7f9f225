// Inputs of quantized operators other than activations: scales and zero points, weights, biases; and the window of a
// convolution or pool.
//
// Errors as in onnx_graph.h: DataLoss and FailedPrecondition, with the node's name.
#ifndef LOCKSTEP_LIB_ONNX_NODE_PARTS_H_
#define LOCKSTEP_LIB_ONNX_NODE_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/onnx/onnx_graph.h"
#include "lib/onnx/record_builder.h"

namespace lockstep {

// Largest size in a layer, the limit of lib/int8/network.cc.
inline constexpr int64_t kMaxOnnxSide = 1 << 14;

// Scale and zero point of a tensor, and the type of its values in the file.
struct FileParams {
  TensorParams params;
  bool is_signed = false;  // int8, else uint8
};

// Reads a scale from input `scale` and its zero point from input `scale` + 1. Without a zero point, returns uint8 0.
absl::StatusOr<FileParams> ReadParams(const OnnxGraph& graph, const ::onnx::NodeProto& node, int scale);

// Weights in the file's layout, less their zero point.
struct NodeWeights {
  std::vector<int64_t> dims;
  QuantizedWeights weights;
};

// ReadWeights reads weights of `dims` dimensions and their zero point from inputs `index` and `zero_point_index`, but
// not their steps and bias; ReadSteps and ReadBias read these.
absl::StatusOr<NodeWeights> ReadWeights(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, int dims,
                                        int zero_point_index);
absl::Status ReadSteps(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, QuantizedWeights& weights);
absl::Status ReadBias(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, QuantizedWeights& weights);

// Transposes weights from (in, out) to (out, in).
void TransposeWeights(NodeWeights& file);

struct Window {
  uint32_t stride = 1;
  uint32_t padding = 0;
};

// Returns the stride and padding of a convolution or pool with a `kernel` x `kernel` window. Both must be the same
// vertically and horizontally.
absl::StatusOr<Window> ReadWindow(const ::onnx::NodeProto& node, int64_t kernel);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_NODE_PARTS_H_
