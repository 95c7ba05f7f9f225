#include "lib/onnx/node_weights.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/node_parts.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr int64_t kMaxWeight = 127;      // largest weight of a record
constexpr int64_t kMaxFileWeight = 255;  // largest distance of a file's weight from its zero point

// Returns zero points, one or `channels`; without the input, the zero point 0.
absl::StatusOr<std::vector<int64_t>> ReadZeroPoints(const OnnxGraph& graph, const NodeProto& node, int index,
                                                    int64_t channels) {
  if (!HasInput(node, index)) {
    return std::vector<int64_t>{0};
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> zero_points, graph.Integers(node, index));
  if (zero_points.size() != 1 && static_cast<int64_t>(zero_points.size()) != channels) {
    return UnsupportedNode(node, absl::StrCat(zero_points.size(), " zero points of its weights, expected one, or ",
                                              channels, ", one for each output channel"));
  }
  return zero_points;
}

}  // namespace

absl::StatusOr<NodeWeights> ReadWeights(const OnnxGraph& graph, const NodeProto& node, int index, size_t dims,
                                        size_t out, int zero_point_index) {
  ASSIGN_OR_RETURN(const TensorProto* const tensor, graph.Constant(node, index));
  NodeWeights result;
  result.dims.assign(tensor->dims().begin(), tensor->dims().end());
  if (result.dims.size() != dims) {
    return UnsupportedNode(node, absl::StrCat("weights of ", result.dims.size(), " dimensions, expected ", dims));
  }
  if (tensor->data_type() != TensorProto::INT8 && tensor->data_type() != TensorProto::UINT8) {
    return UnsupportedNode(node,
                           absl::StrCat("weights of type ", tensor->data_type(), ", expected int8 (3) or uint8 (2)"));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, graph.Integers(node, index));
  ASSIGN_OR_RETURN(const std::vector<int64_t> zero_points,
                   ReadZeroPoints(graph, node, zero_point_index, result.dims[out]));
  size_t inner = 1;  // weights of one channel that lie next to each other
  for (size_t i = out + 1; i < dims; ++i) {
    inner *= static_cast<size_t>(result.dims[i]);
  }
  result.values.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t zero_point = zero_points[i / inner % zero_points.size()];
    if (std::abs(zero_point) > kMaxFileWeight || std::abs(values[i] - zero_point) > kMaxFileWeight) {
      return BrokenNode(node, absl::StrCat("a weight of ", values[i], " with a zero point of ", zero_point,
                                           ", which is not of the weights' type"));
    }
    result.values[i] = static_cast<int16_t>(values[i] - zero_point);
  }
  return result;
}

absl::Status ReadSteps(const OnnxGraph& graph, const NodeProto& node, int index, NodeWeights& weights) {
  ASSIGN_OR_RETURN(weights.steps, graph.Floats(node, index));
  return weights.steps.empty() ? BrokenNode(node, "its weights have no scale") : absl::OkStatus();
}

absl::StatusOr<NodeWeights> ReadDequantizedWeights(const OnnxGraph& graph, const NodeProto& dequantize, size_t dims,
                                                   size_t out) {
  ASSIGN_OR_RETURN(NodeWeights weights, ReadWeights(graph, dequantize, 0, dims, out, 2));
  RETURN_IF_ERROR(ReadSteps(graph, dequantize, 1, weights));
  RETURN_IF_ERROR(CheckScales(dequantize, weights.steps.size(), dims, out));
  return weights;
}

void TransposeWeights(NodeWeights& file) {
  const size_t in = static_cast<size_t>(file.dims[0]), out = static_cast<size_t>(file.dims[1]);
  std::vector<int16_t> transposed(file.values.size());
  for (size_t o = 0; o < out; ++o) {
    for (size_t i = 0; i < in; ++i) {
      transposed[o * in + i] = file.values[i * out + o];
    }
  }
  file.values = std::move(transposed);
  std::swap(file.dims[0], file.dims[1]);
}

uint32_t TermsPerWeight(const NodeWeights& file) {
  int64_t largest = 1;
  for (const int16_t value : file.values) {
    largest = std::max<int64_t>(largest, std::abs(value));
  }
  return static_cast<uint32_t>((largest + kMaxWeight - 1) / kMaxWeight);
}

QuantizedWeights SplitWeights(const NodeWeights& file, uint32_t terms) {
  QuantizedWeights result;
  result.steps = file.steps;
  result.values.resize(file.values.size() * terms);
  const size_t out = static_cast<size_t>(file.dims[0]);
  const size_t block = out == 0 ? 0 : file.values.size() / out;  // weights of one output
  for (size_t i = 0; i < file.values.size(); ++i) {
    int64_t left = file.values[i];
    for (size_t term = 0; term < terms; ++term) {
      const int64_t part = std::max(-kMaxWeight, std::min(kMaxWeight, left));
      result.values[(i / block * terms + term) * block + i % block] = static_cast<int8_t>(part);
      left -= part;
    }
  }
  return result;
}

}  // namespace lockstep
