// Inputs of nodes: values, weights and biases.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/onnx/importer.h"
#include "lib/onnx/node_bias.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;

constexpr size_t kMaxConstants = size_t{1}
                                 << 26;  // six times ResNet-18: one constant may be the weights of many layers

}  // namespace

absl::StatusOr<OnnxValue> Importer::Input(const NodeProto& node, int index) const {
  if (!HasInput(node, index)) {
    return BrokenNode(node, absl::StrCat("has ", node.input_size(), " inputs, and number ", index + 1, " is absent"));
  }
  const auto found = values_.find(node.input(index));
  if (found != values_.end()) {
    return found->second;
  }
  const std::string shown = PlainName(node.input(index));
  if (graph_.FindConstant(node.input(index)) != nullptr) {
    return UnsupportedNode(node, absl::StrCat("its input '", shown, "' is a constant, expected what a layer writes"));
  }
  return BrokenNode(node, absl::StrCat("its input '", shown, "' is written by no node before it"));
}

Extent Importer::ExtentOf(const Value& value) const {
  switch (value.kind) {
    case Value::kImage:
      return {kImageHeight, kImageWidth, kImageChannels};
    case Value::kUnquantized:
      return value.layer->shape.Pooled();
    case Value::kConstant:
    case Value::kShape:
      return Extent();
    default:
      return builder_->Of(value.tensor);
  }
}

absl::Status Importer::CheckSame(const NodeProto& node, const FileParams& params, const Value& value) const {
  const TensorParams& written = builder_->Params(value.tensor);
  if (params.params != written || params.is_signed != value.is_signed) {
    return UnsupportedNode(
        node,
        absl::StrCat("takes '", PlainName(node.input(0)), "' for ", params.is_signed ? "int8" : "uint8", " of scale ",
                     params.params.step, " and zero point ", params.params.zero_point,
                     " (as int8), but it was written as ", value.is_signed ? "int8" : "uint8", " of scale ",
                     written.step, " and zero point ", written.zero_point, "; only a QuantizeLinear may change them"));
  }
  return absl::OkStatus();
}

absl::StatusOr<OnnxValue> Importer::Operand(const NodeProto& node, int index) const {
  ASSIGN_OR_RETURN(const Value value, Input(node, index));
  if (value.kind != Value::kQuantized) {
    return UnsupportedNode(node, "reads a tensor that is not quantized");
  }
  ASSIGN_OR_RETURN(const FileParams params, ReadParams(graph_, node, index + 1));
  RETURN_IF_ERROR(CheckSame(node, params, value));
  return value;
}

absl::StatusOr<OnnxValue> Importer::RealOperand(const NodeProto& node, int index) const {
  ASSIGN_OR_RETURN(const Value value, Input(node, index));
  if (value.kind != Value::kReal) {
    return UnsupportedNode(
        node, absl::StrCat("computes in float32: no DequantizeLinear writes its input '", PlainName(node.input(index)),
                           "'; quantize the model, and leave no layer in float32"));
  }
  return value;
}

absl::Status Importer::Count(const NodeProto& node, size_t constants) {
  constants_ += constants;
  return constants_ <= kMaxConstants
             ? absl::OkStatus()
             : UnsupportedNode(node, absl::StrCat("with it the layers have more than ", kMaxConstants, " weights"));
}

absl::StatusOr<NodeWeights> Importer::Weights(const NodeProto& node, int index, size_t dims, size_t out,
                                              int zero_point_index) {
  ASSIGN_OR_RETURN(NodeWeights result, ReadWeights(graph_, node, index, dims, out, zero_point_index));
  RETURN_IF_ERROR(Count(node, result.values.size()));
  return result;
}

absl::StatusOr<NodeWeights> Importer::RealWeights(const NodeProto& node, size_t dims, size_t out) {
  const auto found = HasInput(node, 1) ? values_.find(node.input(1)) : values_.end();
  if (found == values_.end() || found->second.kind != Value::kConstant) {
    return UnsupportedNode(node,
                           "expected weights from a DequantizeLinear of int8 or uint8 constants; quantize the "
                           "weights, too");
  }
  ASSIGN_OR_RETURN(NodeWeights result, ReadDequantizedWeights(graph_, *found->second.node, dims, out));
  RETURN_IF_ERROR(Count(node, result.values.size()));
  return result;
}

absl::StatusOr<std::vector<int32_t>> Importer::RealBias(const NodeProto& node, int index, const Value& input,
                                                        const NodeWeights& weights) {
  const float step = builder_->Params(input.tensor).step;
  std::vector<int32_t> bias;
  if (!HasInput(node, index)) {
    return bias;
  }
  if (const auto found = values_.find(node.input(index));
      found != values_.end() && found->second.kind == Value::kConstant) {
    ASSIGN_OR_RETURN(bias, ReadDequantizedBias(graph_, *found->second.node, step, weights));
  } else {
    ASSIGN_OR_RETURN(bias, RoundFloatBias(graph_, node, index, step, weights));
  }
  RETURN_IF_ERROR(Count(node, bias.size()));
  return bias;
}

const std::string& Importer::RealWeightName(const NodeProto& node) const {
  return values_.at(node.input(1)).node->input(0);
}

}  // namespace lockstep
