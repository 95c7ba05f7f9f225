#include "lib/onnx/node_parts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

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

absl::Status CheckScales(const NodeProto& node, size_t scales, size_t dims, size_t out) {
  ASSIGN_OR_RETURN(const int64_t block_size, IntAttribute(node, "block_size", 0));
  ASSIGN_OR_RETURN(const int64_t axis, IntAttribute(node, "axis", 1));
  const int64_t along = axis < 0 ? axis + static_cast<int64_t>(dims) : axis;
  if (block_size != 0 || (scales != 1 && along != static_cast<int64_t>(out))) {
    return UnsupportedNode(node,
                           "scales that are neither one for all values nor one for each output channel; quantize "
                           "without blocks, per tensor or per output channel");
  }
  return absl::OkStatus();
}

bool IsPerChannel(const TensorProto& constant, const Extent& extent, bool flat) {
  std::vector<int64_t> dims(constant.dims().begin(), constant.dims().end());
  if (!flat) {
    if (dims.size() < 3 || dims[dims.size() - 1] != 1 || dims[dims.size() - 2] != 1) {
      return false;
    }
    dims.resize(dims.size() - 2);
  }
  return !dims.empty() && dims.back() == extent.channels && (!flat || extent.Size() == extent.channels) &&
         std::all_of(dims.begin(), dims.end() - 1, [](int64_t dim) { return dim == 1; });
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
