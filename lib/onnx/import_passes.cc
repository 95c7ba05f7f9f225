// Nodes that change the layer that wrote their input, or pass it on unchanged.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/importer.h"
#include "lib/onnx/model_names.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

OnnxValue Importer::Passed(const NodeProto& node, Value value) const {
  value.sole = value.sole && graph_.Readers(node.output(0)) == 1;
  return value;
}

absl::Status Importer::CheckCanChange(const NodeProto& node, const Value& value) const {
  if ((value.kind != Value::kQuantized && value.kind != Value::kReal) || value.tensor == 0) {
    return UnsupportedNode(node, "expected after a quantized layer");
  }
  if (!value.sole) {
    return UnsupportedNode(node, "its input has other readers, where Lockstep keeps a layer's last result only");
  }
  return absl::OkStatus();
}

absl::StatusOr<OnnxValue> Importer::Quantize(const NodeProto& node) {
  ASSIGN_OR_RETURN(Value value, Input(node, 0));
  ASSIGN_OR_RETURN(const FileParams params, ReadParams(graph_, node, 1));
  switch (value.kind) {
    case Value::kImage:
      if (builder_ == nullptr) {
        builder_ = std::make_unique<RecordBuilder>(NetworkName(), params.params, ExtentOf(value));
      }
      value.is_signed = params.is_signed;
      RETURN_IF_ERROR(CheckSame(node, params, value));
      break;
    case Value::kUnquantized: {
      OnnxLayer layer = *value.layer;
      layer.flat = value.flat;
      return AddQuantized(node, layer, params);
    }
    case Value::kProbabilities:
      return value;
    case Value::kReal:
      if (params.params != builder_->Params(value.tensor)) {
        return Rescale(node, value, params);
      }
      value.is_signed = params.is_signed;
      break;
    default:
      return UnsupportedNode(node, "expected the image, or what a layer writes in float32");
  }
  value.kind = Value::kQuantized;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Dequantize(const NodeProto& node) {
  Value value;
  if (HasInput(node, 0) && graph_.FindConstant(node.input(0)) != nullptr) {
    value.kind = Value::kConstant;
    value.node = &node;
    return value;
  }
  ASSIGN_OR_RETURN(value, Input(node, 0));
  if (value.kind != Value::kProbabilities) {
    ASSIGN_OR_RETURN(value, Operand(node, 0));
    value.kind = Value::kReal;
  }
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Cast(const NodeProto& node) {
  const auto found = HasInput(node, 0) ? values_.find(node.input(0)) : values_.end();
  if (found == values_.end() || found->second.kind == Value::kShape) {
    return ShapeOperator(node);
  }
  Value value = found->second;
  ASSIGN_OR_RETURN(const int64_t type, IntAttribute(node, "to", TensorProto::UNDEFINED));
  if (type != TensorProto::FLOAT || value.kind == Value::kQuantized || value.kind == Value::kConstant) {
    return UnsupportedNode(node, absl::StrCat("converts to type ", type,
                                              ", where Lockstep passes on float32 (1) only; export the model in "
                                              "float32, without conversions between layers"));
  }
  value.kind = value.kind == Value::kSums ? Value::kRealSums : value.kind;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::MaxPool(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value value, Input(node, 0));
  const bool is_unquantized = value.kind == Value::kUnquantized;
  RETURN_IF_ERROR(is_unquantized ? absl::OkStatus() : CheckCanChange(node, value));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sides, IntsAttribute(node, "kernel_shape", {}));
  ASSIGN_OR_RETURN(const int64_t ceil_mode, IntAttribute(node, "ceil_mode", 0));
  const LayerShape& shape = is_unquantized ? value.layer->shape : builder_->shapes()[value.tensor - 1];
  const int64_t side = sides.empty() ? 0 : sides[0];
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, side));
  const Extent extent = ExtentOf(value);
  if (side < 1 || side > kMaxOnnxSide || window.stride != side || window.padding != 0 || shape.pool != 0 ||
      value.flat || (ceil_mode != 0 && (extent.height % side != 0 || extent.width % side != 0))) {
    return UnsupportedNode(node, "expected one pooling after a layer, whose stride is its side, without padding");
  }
  if (!is_unquantized) {
    RETURN_IF_ERROR(AboutNode(node, builder_->SetPool(value.tensor, static_cast<uint32_t>(side))));
    return Passed(node, value);
  }
  OnnxLayer layer = *value.layer;
  layer.shape.pool = static_cast<uint32_t>(side);
  if (layer.shape.Pooled().Size() == 0) {
    return UnsupportedNode(node, absl::StrCat("a pool of ", side, " over ", extent.height, " x ", extent.width));
  }
  layer.flat = value.flat;
  return Unquantized(std::move(layer));
}

OnnxValue Importer::Limited(const Value& value, float low, float high) {
  OnnxLayer layer = *value.layer;
  layer.low = std::max(layer.low, low);
  layer.high = std::min(layer.high, high);
  layer.flat = value.flat;
  return Unquantized(std::move(layer));
}

absl::StatusOr<OnnxValue> Importer::Relu(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value value, Input(node, 0));
  if (value.kind == Value::kUnquantized) {
    return Limited(value, 0, kInfinity);
  }
  RETURN_IF_ERROR(CheckCanChange(node, value));
  if (value.kind == Value::kQuantized && (!value.is_signed || builder_->Params(value.tensor).zero_point != 0)) {
    return UnsupportedNode(node, "on quantized values it is a ReLU only where they are int8 of zero point 0");
  }
  builder_->SetRelu(value.tensor, true);
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Clip(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value value, Input(node, 0));
  const bool is_unquantized = value.kind == Value::kUnquantized;
  RETURN_IF_ERROR(is_unquantized ? absl::OkStatus() : CheckCanChange(node, value));
  ASSIGN_OR_RETURN(const double low, ClipEnd(node, 1, value, -kInfinity));
  ASSIGN_OR_RETURN(const double high, ClipEnd(node, 2, value, kInfinity));
  if (FindAttribute(node, "min") != nullptr || FindAttribute(node, "max") != nullptr) {
    return UnsupportedNode(node, "its ends are attributes, as before opset 11; convert the model to opset 13");
  }
  if (is_unquantized) {
    return Limited(value, static_cast<float>(low), static_cast<float>(high));
  }
  ASSIGN_OR_RETURN(const bool relu, IsRelu(node, low, high, builder_->Params(value.tensor).zero_point));
  if (relu) {
    builder_->SetRelu(value.tensor, true);
  }
  return Passed(node, value);
}

absl::StatusOr<double> Importer::ClipEnd(const NodeProto& node, int index, const Value& value, double fallback) const {
  if (!HasInput(node, index)) {
    return fallback;
  }
  if (value.kind != Value::kQuantized) {
    ASSIGN_OR_RETURN(const float end, graph_.Scalar(node, index));
    if (std::isnan(end) || value.kind == Value::kUnquantized) {
      return std::isnan(end) ? fallback : end;
    }
    const TensorParams& params = builder_->Params(value.tensor);
    return end / static_cast<double>(params.step) + params.zero_point;
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> ends, graph_.Integers(node, index));
  if (ends.size() != 1) {
    return BrokenNode(node, absl::StrCat(ends.size(), " values for an end, expected one"));
  }
  return static_cast<double>(value.is_signed ? ends[0] : ends[0] - 128);
}

absl::StatusOr<OnnxValue> Importer::Softmax(const NodeProto& node) {
  const bool is_quantized = node.domain() == kMicrosoftDomain;
  ASSIGN_OR_RETURN(Value value, is_quantized ? Operand(node, 0) : Input(node, 0));
  ASSIGN_OR_RETURN(const int64_t axis, IntAttribute(node, "axis", -1));
  if (value.kind == Value::kUnquantized) {
    ASSIGN_OR_RETURN(value, AddSums(node, *value.layer, Value::kRealSums));
  }
  const bool is_real = value.kind == Value::kReal || value.kind == Value::kRealSums;
  if (!(is_real || is_quantized) || (axis != 1 && (axis != -1 || !value.flat))) {
    return UnsupportedNode(node, "expected the softmax of the logits over the classes, at the end of the network");
  }
  value.kind = Value::kProbabilities;
  return Passed(node, value);
}

}  // namespace lockstep
