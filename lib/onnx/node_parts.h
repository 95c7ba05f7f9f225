// What nodes of quantized operators hold beside the tensors that they read: scales and zero points, weights, biases,
// and the window of a convolution or pool.
//
// Errors as onnx_graph.h: DataLoss and FailedPrecondition, and name the node.
#ifndef LOCKSTEP_LIB_ONNX_NODE_PARTS_H_
#define LOCKSTEP_LIB_ONNX_NODE_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/onnx/onnx_graph.h"
#include "lib/onnx/record_builder.h"

namespace lockstep {

// The largest size that a layer has, as lib/int8/network.cc has it.
inline constexpr int64_t kMaxOnnxSide = 1 << 14;

// Scale and zero point of a tensor, and the type of its values in the file.
struct FileParams {
  TensorParams params;
  bool is_signed = false;  // int8, else uint8
};

// From inputs `scale` and `scale` + 1; without the second it is uint8 0.
absl::StatusOr<FileParams> ReadParams(const OnnxGraph& graph, const ::onnx::NodeProto& node, int scale);

// Weights as they lie in the file, less their zero point.
struct NodeWeights {
  std::vector<int64_t> dims;
  QuantizedWeights weights;
};

// From inputs `index` and `zero_point_index`; of `dims` dimensions. Its steps and bias are not read.
absl::StatusOr<NodeWeights> ReadWeights(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, int dims,
                                        int zero_point_index);
absl::Status ReadSteps(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, QuantizedWeights& weights);
absl::Status ReadBias(const OnnxGraph& graph, const ::onnx::NodeProto& node, int index, QuantizedWeights& weights);

// (in, out) becomes (out, in).
void TransposeWeights(NodeWeights& file);

struct Window {
  uint32_t stride = 1;
  uint32_t padding = 0;
};

// Stride and padding of a convolution or pool, which are the same both ways; its kernel is `kernel` x `kernel`.
absl::StatusOr<Window> ReadWindow(const ::onnx::NodeProto& node, int64_t kernel);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_NODE_PARTS_H_
