// Layers without a node of their own: identities that copy or rescale a tensor, and constant tensors.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/int8/requantize.h"
#include "lib/onnx/importer.h"
#include "lib/onnx/rescale.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

// Returns a 1x1 convolution, which is a fully connected layer if there is one pixel.
LayerShape PointwiseShape(const std::string& name, uint32_t tensor, Extent extent, uint32_t out_channels) {
  return extent.height == 1 && extent.width == 1 ? LinearShape(name, tensor, extent, out_channels)
                                                 : ConvShape(name, tensor, extent, out_channels, 1);
}

}  // namespace

absl::StatusOr<uint32_t> Importer::AddIdentity(const NodeProto& node, const std::string& name, uint32_t tensor,
                                               uint32_t copies, float step, const TensorParams& output) {
  const Extent extent = builder_->Of(tensor);
  const size_t channels = extent.channels;
  RETURN_IF_ERROR(Count(node, copies * channels * channels));
  QuantizedWeights weights;
  weights.steps = {step};
  weights.values.resize(copies * channels * channels);
  for (size_t o = 0; o < copies * channels; ++o) {
    weights.values[o * channels + o % channels] = 1;
  }
  const LayerShape shape = PointwiseShape(name, tensor, extent, copies * extent.channels);
  return Added(node, builder_->AddWeighted(shape, weights, output));
}

absl::StatusOr<uint32_t> Importer::Copies(const NodeProto& node, uint32_t tensor, uint32_t copies) {
  if (const auto found = copies_.find({tensor, copies}); found != copies_.end()) {
    return found->second;
  }
  const std::string source = tensor == 0 ? "image" : builder_->shapes()[tensor - 1].name;
  const std::string name = UniqueName(absl::StrCat(source, ".copies"));
  ASSIGN_OR_RETURN(const uint32_t result,
                   AddIdentity(node, name, tensor, copies, /*step=*/1, builder_->Params(tensor)));
  copies_[{tensor, copies}] = result;
  return result;
}

absl::StatusOr<OnnxValue> Importer::Rescale(const NodeProto& node, const Value& value, const FileParams& output) {
  const TensorParams& input = builder_->Params(value.tensor);
  const std::optional<float> step = RescaleStep(input, output.params);
  if (!step) {
    return UnsupportedNode(node, absl::StrCat("changes the scale from ", input.step, " to ", output.params.step,
                                              ", whose ratio is not a normal float32 number"));
  }
  ASSIGN_OR_RETURN(const uint32_t tensor,
                   AddIdentity(node, LayerName(node, ""), value.tensor, 1, *step, output.params));
  return Written(node, tensor, {Value::kQuantized, 0, output.is_signed, value.flat});
}

absl::StatusOr<OnnxValue> Importer::AddConstantTensor(const NodeProto& node, const Value& value,
                                                      const NodeProto& scale_node, int index) {
  ASSIGN_OR_RETURN(const TensorProto* const constant, graph_.Constant(scale_node, index));
  ASSIGN_OR_RETURN(const FileParams params, ReadParams(graph_, scale_node, index + 1));
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, graph_.Integers(scale_node, index));
  const Extent extent = builder_->Of(value.tensor);
  if (constant->data_type() != (params.is_signed ? TensorProto::INT8 : TensorProto::UINT8) ||
      (values.size() != 1 && !IsPerChannel(*constant, extent, value.flat))) {
    return UnsupportedNode(node, absl::StrCat("adds the constant '", PlainName(scale_node.input(index)),
                                              "', expected int8 or uint8, one value for each of ", extent.channels,
                                              " channels, or one for all"));
  }
  // Weights of 0 leave the bias alone, and their step makes it count in steps of the constant.
  RETURN_IF_ERROR(Count(node, size_t{extent.channels} * extent.channels));
  QuantizedWeights weights;
  weights.values.resize(size_t{extent.channels} * extent.channels);
  const float input_step = builder_->Params(value.tensor).step, step = params.params.step / input_step;
  weights.steps = {step};
  const float product = input_step * step;  // a separate variable, so that it is rounded before the division
  const float multiplier = product / params.params.step;
  for (size_t channel = 0; channel < extent.channels; ++channel) {
    const int64_t stored = values[values.size() == 1 ? 0 : channel] - (params.is_signed ? 0 : 128);
    weights.bias.push_back(static_cast<int32_t>(stored - params.params.zero_point));
    if (!std::isnormal(multiplier) || Requantize(weights.bias.back(), multiplier, params.params.zero_point) != stored) {
      return UnsupportedNode(node, absl::StrCat("adds a constant of scale ", params.params.step,
                                                ", too far from its other input's of ", input_step));
    }
  }
  absl::string_view stem = scale_node.input(index);
  absl::ConsumeSuffix(&stem, "_quantized");
  const std::string name = UniqueName(absl::StrCat(PlainName(stem), ".constant"));
  ASSIGN_OR_RETURN(const uint32_t tensor,
                   Added(node, builder_->AddWeighted(PointwiseShape(name, value.tensor, extent, extent.channels),
                                                     weights, params.params)));
  return Value{Value::kQuantized, tensor, params.is_signed, value.flat};
}

}  // namespace lockstep
