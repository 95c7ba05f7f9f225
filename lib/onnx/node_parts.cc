#include "lib/onnx/node_parts.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

// Subtracts the zero point from the file's weights and stores them as int8. All zero points must be equal.
absl::Status Centre(const OnnxGraph& graph, const NodeProto& node, const std::vector<int64_t>& values,
                    int zero_point_index, QuantizedWeights& weights) {
  int64_t zero_point = 0;
  if (HasInput(node, zero_point_index)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> zero_points, graph.Integers(node, zero_point_index));
    if (zero_points.empty() || zero_points != std::vector<int64_t>(zero_points.size(), zero_points[0])) {
      return UnsupportedNode(node, "zero points of its weights that differ; quantize weights symmetrically");
    }
    zero_point = zero_points[0];
  }
  weights.values.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t value = values[i] - zero_point;
    if (value < -127 || value > 127) {
      return UnsupportedNode(node, absl::StrCat("a weight of ", value,
                                                " from its zero point, where Lockstep's lie in "
                                                "[-127, 127]; quantize weights symmetrically, as int8"));
    }
    weights.values[i] = static_cast<int8_t>(value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FileParams> ReadParams(const OnnxGraph& graph, const NodeProto& node, int scale) {
  FileParams result;
  ASSIGN_OR_RETURN(result.params.step, graph.Scalar(node, scale));
  if (!std::isnormal(result.params.step) || result.params.step < 0) {
    return UnsupportedNode(node, absl::StrCat("a scale of ", result.params.step, ", expected a positive number"));
  }
  int64_t zero_point = 0;
  if (HasInput(node, scale + 1)) {
    ASSIGN_OR_RETURN(const TensorProto* const tensor, graph.Constant(node, scale + 1));
    result.is_signed = tensor->data_type() == TensorProto::INT8;
    if (!result.is_signed && tensor->data_type() != TensorProto::UINT8) {
      return UnsupportedNode(
          node, absl::StrCat("a zero point of type ", tensor->data_type(), ", expected uint8 (2) or int8 (3)"));
    }
    ASSIGN_OR_RETURN(const std::vector<int64_t> values, graph.Integers(node, scale + 1));
    if (values.size() != 1) {
      return UnsupportedNode(node, absl::StrCat(values.size(), " zero points of activations, expected one"));
    }
    zero_point = values[0];
  } else if (FindAttribute(node, "output_dtype") != nullptr) {
    return UnsupportedNode(node, "has no zero point; give it one, of type uint8 or int8");
  }
  result.params.zero_point = static_cast<int32_t>(result.is_signed ? zero_point : zero_point - 128);
  return result;
}

absl::StatusOr<NodeWeights> ReadWeights(const OnnxGraph& graph, const NodeProto& node, int index, int dims,
                                        int zero_point_index) {
  ASSIGN_OR_RETURN(const TensorProto* const tensor, graph.Constant(node, index));
  NodeWeights result;
  result.dims.assign(tensor->dims().begin(), tensor->dims().end());
  if (tensor->dims_size() != dims) {
    return UnsupportedNode(node, absl::StrCat("weights of ", tensor->dims_size(), " dimensions, expected ", dims));
  }
  if (tensor->data_type() != TensorProto::INT8 && tensor->data_type() != TensorProto::UINT8) {
    return UnsupportedNode(node,
                           absl::StrCat("weights of type ", tensor->data_type(), ", expected int8 (3) or uint8 (2)"));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, graph.Integers(node, index));
  RETURN_IF_ERROR(Centre(graph, node, values, zero_point_index, result.weights));
  return result;
}

absl::Status ReadSteps(const OnnxGraph& graph, const NodeProto& node, int index, QuantizedWeights& weights) {
  ASSIGN_OR_RETURN(weights.steps, graph.Floats(node, index));
  if (weights.steps.empty()) {
    return BrokenNode(node, "its weights have no scale");
  }
  return absl::OkStatus();
}

absl::Status ReadBias(const OnnxGraph& graph, const NodeProto& node, int index, QuantizedWeights& weights) {
  if (!HasInput(node, index)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const TensorProto* const tensor, graph.Constant(node, index));
  if (tensor->data_type() != TensorProto::INT32) {
    return UnsupportedNode(node, absl::StrCat("a bias of type ", tensor->data_type(), ", expected int32 (6)"));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> bias, graph.Integers(node, index));
  weights.bias.assign(bias.begin(), bias.end());
  return absl::OkStatus();
}

void TransposeWeights(NodeWeights& file) {
  const size_t in = static_cast<size_t>(file.dims[0]), out = static_cast<size_t>(file.dims[1]);
  std::vector<int8_t> transposed(file.weights.values.size());
  for (size_t o = 0; o < out; ++o) {
    for (size_t i = 0; i < in; ++i) {
      transposed[o * in + i] = file.weights.values[i * out + o];
    }
  }
  file.weights.values = std::move(transposed);
  std::swap(file.dims[0], file.dims[1]);
}

absl::StatusOr<Window> ReadWindow(const NodeProto& node, int64_t kernel) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> sides, IntsAttribute(node, "kernel_shape", {kernel, kernel}));
  ASSIGN_OR_RETURN(const std::vector<int64_t> strides, IntsAttribute(node, "strides", {1, 1}));
  ASSIGN_OR_RETURN(const std::vector<int64_t> pads, IntsAttribute(node, "pads", {0, 0, 0, 0}));
  ASSIGN_OR_RETURN(const std::vector<int64_t> dilations, IntsAttribute(node, "dilations", {1, 1}));
  ASSIGN_OR_RETURN(const int64_t groups, IntAttribute(node, "group", 1));
  ASSIGN_OR_RETURN(const std::string auto_pad, TextAttribute(node, "auto_pad", "NOTSET"));
  ASSIGN_OR_RETURN(const int64_t channels_last, IntAttribute(node, "channels_last", 0));
  const auto same = [](const std::vector<int64_t>& values, size_t count, int64_t min_value) {
    return values.size() == count && values[0] >= min_value && values[0] <= kMaxOnnxSide &&
           values == std::vector<int64_t>(count, values[0]);
  };
  if (sides != std::vector<int64_t>(2, kernel) || !same(strides, 2, 1) || !same(pads, 4, 0) ||
      dilations != std::vector<int64_t>{1, 1} || groups != 1 || channels_last != 0 ||
      (auto_pad != "NOTSET" && (auto_pad != "VALID" || pads[0] != 0))) {
    return UnsupportedNode(node,
                           "kernel, strides, pads, dilations or groups that Lockstep does not run: it has a "
                           "square kernel, one stride, the same padding on all sides, no auto_pad, no dilation, "
                           "no groups");
  }
  return Window{static_cast<uint32_t>(strides[0]), static_cast<uint32_t>(pads[0])};
}

}  // namespace lockstep
