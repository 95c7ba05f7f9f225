// Nodes that reshape a tensor, and nodes that compute the shape for them.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/importer.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

bool IsLayerOutput(const OnnxValue& value) {
  switch (value.kind) {
    case OnnxValue::kQuantized:
    case OnnxValue::kReal:
    case OnnxValue::kUnquantized:
    case OnnxValue::kSums:
    case OnnxValue::kRealSums:
    case OnnxValue::kProbabilities:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<OnnxValue> Importer::Flatten(const NodeProto& node) {
  ASSIGN_OR_RETURN(Value value, Input(node, 0));
  ASSIGN_OR_RETURN(const int64_t axis, IntAttribute(node, "axis", 1));
  if (axis != 1 || !IsLayerOutput(value)) {
    return UnsupportedNode(node, "expected axis 1, of something quantized");
  }
  value.flat = true;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Reshape(const NodeProto& node) {
  ASSIGN_OR_RETURN(Value value, Input(node, 0));
  ASSIGN_OR_RETURN(const ShapeValues shape, ShapeInput(node, 1));
  ASSIGN_OR_RETURN(const int64_t allow_zero, IntAttribute(node, "allowzero", 0));
  const std::vector<std::optional<int64_t>>& sizes = shape.values;
  // The batch is the input's, or any number; one of the two sizes may be -1, which is all that remains.
  if (!IsLayerOutput(value) || sizes.size() != 2 || allow_zero != 0 || sizes[0].value_or(0) < -1 || !sizes[1] ||
      !(*sizes[1] == -1 ? sizes[0] != -1 : *sizes[1] == static_cast<int64_t>(ExtentOf(value).Size()))) {
    return UnsupportedNode(node, "expected a shape of (N, all features), of something quantized");
  }
  value.flat = true;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Shape(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value value, Input(node, 0));
  if (value.kind != Value::kImage && !IsLayerOutput(value)) {
    return UnsupportedNode(node, "expected the shape of the image or of what a layer writes");
  }
  const Extent extent = ExtentOf(value);
  std::vector<std::optional<int64_t>> sizes = {std::nullopt};
  if (value.flat) {
    sizes.push_back(static_cast<int64_t>(extent.Size()));
  } else {
    sizes.insert(sizes.end(), {extent.channels, extent.height, extent.width});
  }
  const int64_t count = static_cast<int64_t>(sizes.size());
  ASSIGN_OR_RETURN(int64_t start, IntAttribute(node, "start", 0));
  ASSIGN_OR_RETURN(int64_t end, IntAttribute(node, "end", count));
  for (int64_t* const place : {&start, &end}) {
    *place = std::max<int64_t>(0, std::min(count, *place < 0 ? *place + count : *place));
  }
  Value result;
  result.kind = Value::kShape;
  result.shape = std::make_shared<const ShapeValues>(
      ShapeValues{{sizes.begin() + start, sizes.begin() + std::max(start, end)}, /*is_scalar=*/false});
  return result;
}

absl::StatusOr<ShapeValues> Importer::ShapeInput(const NodeProto& node, int index) const {
  if (const auto found = HasInput(node, index) ? values_.find(node.input(index)) : values_.end();
      found != values_.end()) {
    if (found->second.kind != Value::kShape) {
      return UnsupportedOperator(node);
    }
    return *found->second.shape;
  }
  ASSIGN_OR_RETURN(const TensorProto* const constant, graph_.Constant(node, index));
  return ShapeConstant(node, *constant);
}

absl::StatusOr<OnnxValue> Importer::ShapeOperator(const NodeProto& node) {
  std::vector<ShapeValues> inputs;
  for (int i = 0; i < node.input_size(); ++i) {
    ASSIGN_OR_RETURN(ShapeValues input, ShapeInput(node, i));
    inputs.push_back(std::move(input));
  }
  ASSIGN_OR_RETURN(ShapeValues shape, ComputeShape(node, inputs));
  Value result;
  result.kind = Value::kShape;
  result.shape = std::make_shared<const ShapeValues>(std::move(shape));
  return result;
}

}  // namespace lockstep
