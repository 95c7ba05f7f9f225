// Nodes that change the layer that wrote their input, or pass it on unchanged.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/onnx/importer.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;

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
  if (value.kind == Value::kImage) {
    if (builder_ == nullptr) {
      builder_ = std::make_unique<RecordBuilder>(NetworkName(), params.params,
                                                 Extent{kImageHeight, kImageWidth, kImageChannels});
    }
    value.is_signed = params.is_signed;
  } else if (value.kind == Value::kRealMean) {
    return Mean(*value.mean, node, value, params);
  } else if (value.kind != Value::kReal) {
    return UnsupportedNode(node, "expected the image, or what was dequantized");
  }
  RETURN_IF_ERROR(CheckSame(node, params, value));
  value.kind = Value::kQuantized;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Dequantize(const NodeProto& node) {
  ASSIGN_OR_RETURN(Value value, Operand(node, 0));
  value.kind = Value::kReal;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::MaxPool(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value value, Input(node, 0));
  RETURN_IF_ERROR(CheckCanChange(node, value));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sides, IntsAttribute(node, "kernel_shape", {}));
  ASSIGN_OR_RETURN(const int64_t ceil_mode, IntAttribute(node, "ceil_mode", 0));
  const LayerShape& shape = builder_->shapes()[value.tensor - 1];
  const int64_t side = sides.empty() ? 0 : sides[0];
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, side));
  const Extent extent = builder_->Of(value.tensor);
  if (side < 1 || side > kMaxOnnxSide || window.stride != side || window.padding != 0 || shape.pool != 0 ||
      value.flat || (ceil_mode != 0 && (extent.height % side != 0 || extent.width % side != 0))) {
    return UnsupportedNode(node, "expected one pooling after a layer, whose stride is its side, without padding");
  }
  RETURN_IF_ERROR(AboutNode(node, builder_->SetPool(value.tensor, static_cast<uint32_t>(side))));
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Flatten(const NodeProto& node) {
  ASSIGN_OR_RETURN(Value value, Input(node, 0));
  ASSIGN_OR_RETURN(const int64_t axis, IntAttribute(node, "axis", 1));
  if (axis != 1 || value.kind == Value::kImage) {
    return UnsupportedNode(node, "expected axis 1, of something quantized");
  }
  value.flat = true;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Reshape(const NodeProto& node) {
  ASSIGN_OR_RETURN(Value value, Input(node, 0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, graph_.Integers(node, 1));
  ASSIGN_OR_RETURN(const int64_t allow_zero, IntAttribute(node, "allowzero", 0));
  if (value.kind == Value::kImage || sizes.size() != 2 || allow_zero != 0 || sizes[0] < -1 ||
      !(sizes[1] == -1 ? sizes[0] != -1 : sizes[1] == Features(value))) {
    return UnsupportedNode(node, "expected a shape of (N, all features), of something quantized");
  }
  value.flat = true;
  return Passed(node, value);
}

int64_t Importer::Features(const Value& value) const {
  const Extent extent = builder_->Of(value.tensor);
  return static_cast<int64_t>(value.kind == Value::kRealMean ? extent.channels : extent.Size());
}

absl::StatusOr<OnnxValue> Importer::Relu(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value value, Input(node, 0));
  RETURN_IF_ERROR(CheckCanChange(node, value));
  if (value.kind == Value::kQuantized && (!value.is_signed || builder_->Params(value.tensor).zero_point != 0)) {
    return UnsupportedNode(node, "on quantized values it is a ReLU only where they are int8 of zero point 0");
  }
  builder_->SetRelu(value.tensor, true);
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Clip(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value value, Input(node, 0));
  RETURN_IF_ERROR(CheckCanChange(node, value));
  const TensorParams& params = builder_->Params(value.tensor);
  ASSIGN_OR_RETURN(const double low, ClipEnd(node, 1, value, -128));
  ASSIGN_OR_RETURN(const double high, ClipEnd(node, 2, value, 127));
  if (FindAttribute(node, "min") != nullptr || FindAttribute(node, "max") != nullptr || high < 127 ||
      (low > -128 && low != params.zero_point)) {
    return UnsupportedNode(node, "expected a lower end at the zero point, and no upper end below the largest value");
  }
  if (low > -128) {
    builder_->SetRelu(value.tensor, true);
  }
  return Passed(node, value);
}

absl::StatusOr<double> Importer::ClipEnd(const NodeProto& node, int index, const Value& value, double fallback) const {
  if (!HasInput(node, index)) {
    return fallback;
  }
  if (value.kind == Value::kReal) {
    const TensorParams& params = builder_->Params(value.tensor);
    ASSIGN_OR_RETURN(const float end, graph_.Scalar(node, index));
    return std::isnan(end) ? fallback : end / static_cast<double>(params.step) + params.zero_point;
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> ends, graph_.Integers(node, index));
  if (ends.size() != 1) {
    return BrokenNode(node, absl::StrCat(ends.size(), " values for an end, expected one"));
  }
  return static_cast<double>(value.is_signed ? ends[0] : ends[0] - 128);
}

}  // namespace lockstep
