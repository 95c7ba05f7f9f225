// Scales and zero points of activations, and the window of a convolution or pool.
//
// Errors as in onnx_graph.h: DataLoss and FailedPrecondition, with the node's name.
#ifndef LOCKSTEP_LIB_ONNX_NODE_PARTS_H_
#define LOCKSTEP_LIB_ONNX_NODE_PARTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/int8/network.h"
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

// Checks that the `scales` scales of a DequantizeLinear of a constant of `dims` dimensions are one, or along dimension
// `out`, which counts the output channels.
absl::Status CheckScales(const ::onnx::NodeProto& node, size_t scales, size_t dims, size_t out);

// Returns true if `constant`, added to a tensor of this extent, has one value for each channel. `flat`: the tensor's
// shape is (N, features), else (N, channels, height, width).
bool IsPerChannel(const ::onnx::TensorProto& constant, const Extent& extent, bool flat);

struct Window {
  uint32_t stride = 1;
  uint32_t padding = 0;
};

// Returns the stride and padding of a convolution or pool with a `kernel` x `kernel` window. Both must be the same
// vertically and horizontally.
absl::StatusOr<Window> ReadWindow(const ::onnx::NodeProto& node, int64_t kernel);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_NODE_PARTS_H_
