// Operators in float32 between DequantizeLinear and QuantizeLinear, as in the QDQ form. A layer is added at the
// QuantizeLinear, which has the scale of its output.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/importer.h"
#include "lib/onnx/node_bias.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

}  // namespace

OnnxValue Importer::Unquantized(OnnxLayer layer) {
  has_float_operators_ = has_float_operators_ || layer.shape.kind != LayerKind::kGlobalAveragePool;
  Value value;
  value.kind = Value::kUnquantized;
  value.flat = layer.flat;
  value.layer = std::make_shared<const OnnxLayer>(std::move(layer));
  return value;
}

absl::StatusOr<OnnxValue> Importer::Conv(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, RealOperand(node, 0));
  ASSIGN_OR_RETURN(NodeWeights weights, RealWeights(node, 4, 0));
  ASSIGN_OR_RETURN(std::vector<int32_t> bias, RealBias(node, 2, input, weights));
  ASSIGN_OR_RETURN(OnnxLayer layer, ConvolutionLayer(node, input, std::move(weights), std::move(bias)));
  layer.weight_name = RealWeightName(node);
  return Unquantized(std::move(layer));
}

absl::StatusOr<OnnxValue> Importer::Gemm(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, RealOperand(node, 0));
  ASSIGN_OR_RETURN(const bool transposed, IsGemmTransposed(node));
  ASSIGN_OR_RETURN(NodeWeights weights, RealWeights(node, 2, transposed ? 0 : 1));
  if (!transposed) {
    TransposeWeights(weights);
  }
  ASSIGN_OR_RETURN(std::vector<int32_t> bias, RealBias(node, 2, input, weights));
  ASSIGN_OR_RETURN(OnnxLayer layer, LinearLayer(node, input, std::move(weights), std::move(bias)));
  layer.weight_name = RealWeightName(node);
  return Unquantized(std::move(layer));
}

absl::StatusOr<OnnxValue> Importer::MatMul(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, RealOperand(node, 0));
  ASSIGN_OR_RETURN(NodeWeights weights, RealWeights(node, 2, 1));
  TransposeWeights(weights);
  ASSIGN_OR_RETURN(OnnxLayer layer, LinearLayer(node, input, std::move(weights), {}));
  layer.weight_name = RealWeightName(node);
  return Unquantized(std::move(layer));
}

absl::StatusOr<OnnxValue> Importer::Add(const NodeProto& node) {
  const auto is_constant = [&](int index) {
    const auto found = HasInput(node, index) ? values_.find(node.input(index)) : values_.end();
    return found != values_.end() ? found->second.kind == Value::kConstant
                                  : HasInput(node, index) && graph_.FindConstant(node.input(index)) != nullptr;
  };
  const int constant = is_constant(1) ? 1 : is_constant(0) ? 0 : -1;
  ASSIGN_OR_RETURN(const Value value, Input(node, constant == 0 ? 1 : 0));
  if (value.kind == Value::kSums && constant >= 0) {
    return AddSumBias(node, value, constant);
  }
  if (value.kind == Value::kUnquantized && constant >= 0) {
    return AddRealBias(node, value, constant);
  }
  Value a, b;
  if (constant < 0) {
    ASSIGN_OR_RETURN(a, RealOperand(node, 0));
    ASSIGN_OR_RETURN(b, RealOperand(node, 1));
  } else {
    const auto dequantized = values_.find(node.input(constant));
    if (dequantized == values_.end()) {
      return UnsupportedNode(
          node, absl::StrCat("adds the float32 constant '", PlainName(node.input(constant)), "'; quantize it, too"));
    }
    ASSIGN_OR_RETURN(a, RealOperand(node, 1 - constant));
    ASSIGN_OR_RETURN(b, AddConstantTensor(node, a, *dequantized->second.node, 0));
    if (constant == 0) {
      std::swap(a, b);  // ONNX Runtime's addition depends on the order
    }
  }
  ASSIGN_OR_RETURN(OnnxLayer layer, AdditionLayer(node, a, b));
  return Unquantized(std::move(layer));
}

absl::StatusOr<OnnxValue> Importer::AddSumBias(const NodeProto& node, const Value& sums, int bias_index) {
  if (!sums.sole || sums.tensor != builder_->shapes().size() || has_sum_bias_) {
    return UnsupportedNode(node, "a second addition to the last layer's sums, or one after other layers");
  }
  ASSIGN_OR_RETURN(const std::vector<int32_t> bias, ReadBias(graph_, node, bias_index));
  if (const uint32_t outputs = builder_->shapes().back().out_channels; bias.size() != outputs) {
    return UnsupportedNode(node, absl::StrCat(bias.size(), " biases for ", outputs, " outputs"));
  }
  builder_->SetBias(sums.tensor, bias);
  has_sum_bias_ = true;
  return Passed(node, sums);
}

absl::StatusOr<OnnxValue> Importer::AddRealBias(const NodeProto& node, const Value& value, int bias_index) {
  OnnxLayer layer = *value.layer;
  if (layer.weights == nullptr || !layer.bias->empty() || layer.shape.pool != 0 || !layer.IsUnlimited()) {
    return UnsupportedNode(node, "expected a constant to be added to a layer's sums once, before ReLU and pooling");
  }
  Value input;
  input.tensor = layer.shape.inputs[0];
  ASSIGN_OR_RETURN(std::vector<int32_t> bias, RealBias(node, bias_index, input, *layer.weights));
  const auto dequantized = values_.find(node.input(bias_index));
  const TensorProto* const constant =
      graph_.FindConstant(dequantized == values_.end() ? node.input(bias_index) : dequantized->second.node->input(0));
  if (!IsPerChannel(*constant, layer.shape.Out(), value.flat)) {
    return UnsupportedNode(node, absl::StrCat("expected a constant of one value for each of ", layer.shape.out_channels,
                                              " channels, found ", bias.size(), " values or other dimensions"));
  }
  layer.bias = std::make_shared<const std::vector<int32_t>>(std::move(bias));
  layer.flat = value.flat;
  return Unquantized(std::move(layer));
}

absl::Status Importer::CheckAverages(const NodeProto& node, const Value& input) const {
  if (node.op_type().find("Global") != std::string::npos) {
    return absl::OkStatus();
  }
  const Extent extent = ExtentOf(input);
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, extent.height));
  if (extent.height != extent.width || window.padding != 0) {
    return UnsupportedNode(node, absl::StrCat("averages a part of its ", extent.height, " x ", extent.width,
                                              " pixels, where Lockstep has an average over all"));
  }
  return absl::OkStatus();
}

absl::StatusOr<OnnxValue> Importer::AveragePool(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, RealOperand(node, 0));
  RETURN_IF_ERROR(CheckAverages(node, input));
  ASSIGN_OR_RETURN(OnnxLayer layer, AverageLayer(node, input));
  return Unquantized(std::move(layer));
}

}  // namespace lockstep
