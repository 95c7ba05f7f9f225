// Nodes that become layers.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/importer.h"
#include "lib/onnx/model_names.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr size_t kMaxLayers = 1000;
constexpr size_t kMaxWeights = size_t{1} << 25;  // three times ResNet-18: one constant may be the weights of many
                                                 // layers

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

absl::Status Importer::CheckSame(const NodeProto& node, const FileParams& params, const Value& value) const {
  const TensorParams& written = builder_->Params(value.tensor);
  if (params.params != written || params.is_signed != value.is_signed) {
    return UnsupportedNode(
        node, absl::StrCat("takes '", PlainName(node.input(0)), "' for ", params.is_signed ? "int8" : "uint8",
                           " of scale ", params.params.step, " and zero point ", params.params.zero_point,
                           " (as int8), but it was written as ", value.is_signed ? "int8" : "uint8", " of scale ",
                           written.step, " and zero point ", written.zero_point, "; Lockstep does not rescale"));
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

absl::StatusOr<NodeWeights> Importer::Weights(const NodeProto& node, int index, int dims, int zero_point_index) {
  ASSIGN_OR_RETURN(NodeWeights result, ReadWeights(graph_, node, index, dims, zero_point_index));
  weights_ += result.weights.values.size();
  if (weights_ > kMaxWeights) {
    return UnsupportedNode(node, absl::StrCat("with it the layers have more than ", kMaxWeights, " weights"));
  }
  return result;
}

std::string Importer::LayerName(const NodeProto& node, absl::string_view weight) {
  std::string name;
  for (const absl::string_view suffix : {".weight", ".weight_quantized", ".weight_transposed"}) {
    if (absl::string_view stem = weight; absl::ConsumeSuffix(&stem, suffix)) {
      name = PlainName(stem);
    }
  }
  name = name.empty() ? PlainName(node.name()) : name;
  name = name.empty() ? PlainName(node.output(0)) : name;
  std::string unique = name;
  for (int i = 2; !names_.insert(unique).second; ++i) {
    unique = absl::StrCat(name, "_", i);
  }
  return unique;
}

absl::StatusOr<OnnxValue> Importer::Written(const NodeProto& node, const absl::StatusOr<uint32_t>& tensor,
                                            Value value) {
  if (!tensor.ok()) {
    return AboutNode(node, tensor.status());
  }
  if (builder_->shapes().size() > kMaxLayers) {
    return UnsupportedNode(node, absl::StrCat("more than ", kMaxLayers, " layers"));
  }
  value.tensor = *tensor;
  value.sole = graph_.Readers(node.output(0)) == 1;
  return value;
}

absl::StatusOr<OnnxValue> Importer::Linear(const NodeProto& node, const Value& input, int weight_index, int64_t out,
                                           int64_t in, const QuantizedWeights& weights, const FileParams* output) {
  const Extent extent = builder_->Of(input.tensor);
  if (!input.flat || extent.height != extent.width || static_cast<uint64_t>(in) != extent.Size()) {
    return UnsupportedNode(
        node, absl::StrCat("reads ", extent.channels, " channels of ", extent.height, " x ", extent.width,
                           input.flat ? ", flat" : ", not flat", ", where its weights need a flat input of ", in));
  }
  const LayerShape shape =
      LinearShape(LayerName(node, node.input(weight_index)), input.tensor, extent, static_cast<uint32_t>(out));
  if (output == nullptr) {
    return Written(node, builder_->AddSums(shape, weights), {Value::kSums, 0, false, /*flat=*/true});
  }
  return Written(node, builder_->AddWeighted(shape, weights, output->params),
                 {Value::kQuantized, 0, output->is_signed, /*flat=*/true});
}

absl::StatusOr<OnnxValue> Importer::Convolution(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, Operand(node, 0));
  ASSIGN_OR_RETURN(NodeWeights file, Weights(node, 3, 4, 5));
  RETURN_IF_ERROR(ReadSteps(graph_, node, 4, file.weights));
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 6));
  RETURN_IF_ERROR(ReadBias(graph_, node, 8, file.weights));
  const Extent extent = builder_->Of(input.tensor);
  const int64_t kernel = file.dims[2];
  if (input.flat || file.dims[1] != extent.channels || file.dims[3] != kernel) {
    return UnsupportedNode(node, absl::StrCat("weights of (", file.dims[0], ", ", file.dims[1], ", ", kernel, ", ",
                                              file.dims[3], "), expected (out, ", extent.channels,
                                              ", k, k); Lockstep has no groups, and square kernels only"));
  }
  if (kernel < 1 || kernel > kMaxOnnxSide || file.dims[0] < 1 || file.dims[0] > kMaxOnnxSide) {
    return UnsupportedNode(node, "a size of its weights that Lockstep does not have");
  }
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, kernel));
  LayerShape shape =
      ConvShape("", input.tensor, extent, static_cast<uint32_t>(file.dims[0]), static_cast<uint32_t>(kernel));
  shape.stride = window.stride;
  shape.padding = window.padding;
  if (extent.height == extent.width && extent.height == kernel && shape.padding == 0) {
    shape = LinearShape("", input.tensor, extent, shape.out_channels);
  }
  shape.name = LayerName(node, node.input(3));
  return Written(node, builder_->AddWeighted(shape, file.weights, output.params),
                 {Value::kQuantized, 0, output.is_signed});
}

absl::Status Importer::CheckOutputs(const NodeProto& node, int64_t out) const {
  if (out < 1 || out > kMaxOnnxSide) {
    return UnsupportedNode(node, absl::StrCat(out, " outputs, expected 1 to ", kMaxOnnxSide));
  }
  return absl::OkStatus();
}

absl::StatusOr<OnnxValue> Importer::MatMul(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, Operand(node, 0));
  ASSIGN_OR_RETURN(NodeWeights file, Weights(node, 3, 2, 5));
  RETURN_IF_ERROR(ReadSteps(graph_, node, 4, file.weights));
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 6));
  TransposeWeights(file);
  RETURN_IF_ERROR(CheckOutputs(node, file.dims[0]));
  return Linear(node, input, 3, file.dims[0], file.dims[1], file.weights, &output);
}

absl::StatusOr<OnnxValue> Importer::Gemm(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, Operand(node, 0));
  ASSIGN_OR_RETURN(NodeWeights file, Weights(node, 3, 2, 5));
  RETURN_IF_ERROR(ReadSteps(graph_, node, 4, file.weights));
  RETURN_IF_ERROR(ReadBias(graph_, node, 6, file.weights));
  ASSIGN_OR_RETURN(const int64_t transposed_a, IntAttribute(node, "transA", 0));
  ASSIGN_OR_RETURN(const int64_t transposed_b, IntAttribute(node, "transB", 0));
  const ::onnx::AttributeProto* const alpha = FindAttribute(node, "alpha");
  if (transposed_a != 0 || (alpha != nullptr && alpha->f() != 1.0f)) {
    return UnsupportedNode(node, "its attributes alpha and transA must be 1 and 0");
  }
  if (transposed_b == 0) {
    TransposeWeights(file);
  }
  RETURN_IF_ERROR(CheckOutputs(node, file.dims[0]));
  if (HasInput(node, 7)) {
    ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 7));
    return Linear(node, input, 3, file.dims[0], file.dims[1], file.weights, &output);
  }
  if (file.weights.steps.size() != 1) {
    return UnsupportedNode(node, "float logits of weights with a scale for each class, whose sums cannot be compared");
  }
  ASSIGN_OR_RETURN(Value value, Linear(node, input, 3, file.dims[0], file.dims[1], file.weights, nullptr));
  value.kind = Value::kRealSums;
  return value;
}

absl::StatusOr<OnnxValue> Importer::MatMulSums(const NodeProto& node) {
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
  ASSIGN_OR_RETURN(NodeWeights file, Weights(node, 1, 2, 3));
  TransposeWeights(file);
  RETURN_IF_ERROR(CheckOutputs(node, file.dims[0]));
  file.weights.steps = LogitsSteps(static_cast<size_t>(file.dims[0]));
  return Linear(node, input, 1, file.dims[0], file.dims[1], file.weights, nullptr);
}

std::vector<float> Importer::LogitsSteps(size_t outputs) const {
  const auto found = metadata_.find(kLogitsWeightScaleKey);
  std::vector<float> steps = found == metadata_.end() ? std::vector<float>() : ParseNumbers(found->second);
  const bool good = (steps.size() == 1 || steps.size() == outputs) &&
                    std::all_of(steps.begin(), steps.end(), [](float s) { return std::isnormal(s) && s > 0; });
  return good ? steps : std::vector<float>{1.0f};
}

absl::StatusOr<OnnxValue> Importer::AddBias(const NodeProto& node) {
  const bool first = node.input_size() == 2 && values_.count(node.input(0)) != 0;
  ASSIGN_OR_RETURN(const Value value, Input(node, first ? 0 : 1));
  if (value.kind != Value::kSums || !value.sole || value.tensor != builder_->shapes().size() || has_sum_bias_) {
    return UnsupportedNode(node, "an addition that is neither QLinearAdd nor the int32 bias of the last layer's sums");
  }
  QuantizedWeights weights;
  RETURN_IF_ERROR(ReadBias(graph_, node, first ? 1 : 0, weights));
  if (const uint32_t outputs = builder_->shapes().back().out_channels; weights.bias.size() != outputs) {
    return UnsupportedNode(node, absl::StrCat(weights.bias.size(), " biases for ", outputs, " outputs"));
  }
  builder_->SetBias(value.tensor, weights.bias);
  has_sum_bias_ = true;
  return Passed(node, value);
}

absl::StatusOr<OnnxValue> Importer::Addition(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value a, Operand(node, 0));
  ASSIGN_OR_RETURN(const Value b, Operand(node, 3));
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 6));
  const Extent extent = builder_->Of(a.tensor);
  if (builder_->Of(b.tensor) != extent || a.flat != b.flat) {
    return UnsupportedNode(node, "adds tensors of two shapes");
  }
  if (a.is_signed != output.is_signed || b.is_signed != output.is_signed) {
    return UnsupportedNode(node, "adds int8 and uint8");
  }
  return Written(node,
                 builder_->AddWithoutWeights(AddShape(LayerName(node, ""), a.tensor, b.tensor, extent), output.params),
                 {Value::kQuantized, 0, output.is_signed, a.flat});
}

absl::StatusOr<OnnxValue> Importer::GlobalAveragePool(const NodeProto& node) {
  ASSIGN_OR_RETURN(Value input, Input(node, 0));
  ASSIGN_OR_RETURN(const int64_t channels_last, IntAttribute(node, "channels_last", 0));
  const bool is_real = node.domain() != kMicrosoftDomain;
  if (channels_last != 0 || input.flat || input.kind != (is_real ? Value::kReal : Value::kQuantized)) {
    return UnsupportedNode(node, "expected an input of (N, channels, height, width) that a quantized layer writes");
  }
  if (is_real) {
    input.kind = Value::kRealMean;
    input.mean = &node;
    return input;
  }
  ASSIGN_OR_RETURN(input, Operand(node, 0));
  ASSIGN_OR_RETURN(const FileParams output, ReadParams(graph_, node, 3));
  return Mean(node, node, input, output);
}

absl::StatusOr<OnnxValue> Importer::Mean(const NodeProto& pool, const NodeProto& node, const Value& input,
                                         const FileParams& output) {
  const LayerShape shape = GlobalAveragePoolShape(LayerName(pool, ""), input.tensor, builder_->Of(input.tensor));
  return Written(node, builder_->AddWithoutWeights(shape, output.params),
                 {Value::kQuantized, 0, output.is_signed, input.flat});
}

absl::StatusOr<OnnxValue> Importer::AveragePool(const NodeProto& node) {
  ASSIGN_OR_RETURN(const Value input, Input(node, 0));
  const Extent extent = builder_ == nullptr ? Extent() : builder_->Of(input.tensor);
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, extent.height));
  if (extent.height != extent.width || window.padding != 0) {
    return UnsupportedNode(node, absl::StrCat("averages a part of its ", extent.height, " x ", extent.width,
                                              " pixels, where Lockstep has an average over all"));
  }
  return GlobalAveragePool(node);
}

}  // namespace lockstep
