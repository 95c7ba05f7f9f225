// Quantized operators, which become layers.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/importer.h"
#include "lib/onnx/model_names.h"
#include "lib/onnx/node_bias.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;

}  // namespace

absl::StatusOr<OnnxValue> Importer::QLinearConv(const NodeProto& node) {
  has_quantized_operators_ = true;
  ASSIGN_OR_RETURN(const Value input, Operand(node, 0));
  ASSIGN_OR_RETURN(NodeWeights weights, Weights(node, 3, 4, 0, 5));
  RETURN_IF_ERROR(ReadSteps(graph_, node, 4, weights));
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 6));
  ASSIGN_OR_RETURN(std::vector<int32_t> bias, ReadBias(graph_, node, 8));
  ASSIGN_OR_RETURN(OnnxLayer layer, ConvolutionLayer(node, input, std::move(weights), std::move(bias)));
  layer.weight_name = node.input(3);
  return AddQuantized(node, layer, output);
}

absl::StatusOr<OnnxValue> Importer::QLinearMatMul(const NodeProto& node) {
  has_quantized_operators_ = true;
  ASSIGN_OR_RETURN(const Value input, Operand(node, 0));
  ASSIGN_OR_RETURN(NodeWeights weights, Weights(node, 3, 2, 1, 5));
  RETURN_IF_ERROR(ReadSteps(graph_, node, 4, weights));
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 6));
  TransposeWeights(weights);
  ASSIGN_OR_RETURN(OnnxLayer layer, LinearLayer(node, input, std::move(weights), {}));
  layer.weight_name = node.input(3);
  return AddQuantized(node, layer, output);
}

absl::StatusOr<bool> Importer::IsGemmTransposed(const NodeProto& node) const {
  ASSIGN_OR_RETURN(const int64_t transposed_a, IntAttribute(node, "transA", 0));
  ASSIGN_OR_RETURN(const int64_t transposed_b, IntAttribute(node, "transB", 0));
  const ::onnx::AttributeProto *const alpha = FindAttribute(node, "alpha"), *const beta = FindAttribute(node, "beta");
  if (transposed_a != 0 || (alpha != nullptr && alpha->f() != 1.0f) || (beta != nullptr && beta->f() != 1.0f)) {
    return UnsupportedNode(node, "its attributes alpha, beta and transA must be 1, 1 and 0");
  }
  return transposed_b != 0;
}

absl::StatusOr<OnnxValue> Importer::QGemm(const NodeProto& node) {
  has_quantized_operators_ = true;
  ASSIGN_OR_RETURN(const Value input, Operand(node, 0));
  ASSIGN_OR_RETURN(const bool transposed, IsGemmTransposed(node));
  ASSIGN_OR_RETURN(NodeWeights weights, Weights(node, 3, 2, transposed ? 0 : 1, 5));
  RETURN_IF_ERROR(ReadSteps(graph_, node, 4, weights));
  ASSIGN_OR_RETURN(std::vector<int32_t> bias, ReadBias(graph_, node, 6));
  if (!transposed) {
    TransposeWeights(weights);
  }
  ASSIGN_OR_RETURN(OnnxLayer layer, LinearLayer(node, input, std::move(weights), std::move(bias)));
  layer.weight_name = node.input(3);
  if (!HasInput(node, 7)) {
    return AddSums(node, layer, Value::kRealSums);
  }
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 7));
  return AddQuantized(node, layer, output);
}

absl::StatusOr<OnnxValue> Importer::MatMulSums(const NodeProto& node) {
  has_quantized_operators_ = true;
  ASSIGN_OR_RETURN(const Value input, Input(node, 0));
  if (input.kind != Value::kQuantized) {
    return UnsupportedNode(node, "reads a tensor that is not quantized");
  }
  int64_t zero_point = 0;  // zero point in the file
  if (HasInput(node, 2)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> values, graph_.Integers(node, 2));
    if (values.size() != 1) {
      return UnsupportedNode(node, absl::StrCat(values.size(), " zero points of activations, expected one"));
    }
    zero_point = values[0];
  }
  if (zero_point - (input.is_signed ? 0 : 128) != builder_->Params(input.tensor).zero_point) {
    return UnsupportedNode(node, "its input was written with another zero point");
  }
  ASSIGN_OR_RETURN(NodeWeights weights, Weights(node, 1, 2, 1, 3));
  TransposeWeights(weights);
  weights.steps = LogitsSteps(static_cast<size_t>(weights.dims[0]));
  ASSIGN_OR_RETURN(OnnxLayer layer, LinearLayer(node, input, std::move(weights), {}));
  layer.weight_name = node.input(1);
  return AddSums(node, layer, Value::kSums);
}

std::vector<float> Importer::LogitsSteps(size_t outputs) const {
  const auto found = metadata_.find(kLogitsWeightScaleKey);
  std::vector<float> steps = found == metadata_.end() ? std::vector<float>() : ParseNumbers(found->second);
  const bool good = (steps.size() == 1 || steps.size() == outputs) &&
                    std::all_of(steps.begin(), steps.end(), [](float s) { return std::isnormal(s) && s > 0; });
  return good ? steps : std::vector<float>{1.0f};
}

absl::StatusOr<OnnxValue> Importer::QLinearAdd(const NodeProto& node) {
  has_quantized_operators_ = true;
  const bool first = HasInput(node, 0) && graph_.FindConstant(node.input(0)) != nullptr;
  const bool second = !first && HasInput(node, 3) && graph_.FindConstant(node.input(3)) != nullptr;
  Value a, b;
  if (first) {
    ASSIGN_OR_RETURN(b, Operand(node, 3));
    ASSIGN_OR_RETURN(a, AddConstantTensor(node, b, node, 0));
  } else {
    ASSIGN_OR_RETURN(a, Operand(node, 0));
    ASSIGN_OR_RETURN(b, second ? AddConstantTensor(node, a, node, 3) : Operand(node, 3));
  }
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 6));
  if (a.is_signed != output.is_signed || b.is_signed != output.is_signed) {
    return UnsupportedNode(node, "adds int8 and uint8");
  }
  ASSIGN_OR_RETURN(const OnnxLayer layer, AdditionLayer(node, a, b));
  return AddQuantized(node, layer, output);
}

absl::StatusOr<OnnxValue> Importer::QLinearAveragePool(const NodeProto& node) {
  has_quantized_operators_ = true;
  ASSIGN_OR_RETURN(const Value input, Operand(node, 0));
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 3));
  RETURN_IF_ERROR(CheckAverages(node, input));
  ASSIGN_OR_RETURN(const OnnxLayer layer, AverageLayer(node, input));
  return AddQuantized(node, layer, output);
}

}  // namespace lockstep
