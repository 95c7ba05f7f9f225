// Layers of the record.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/importer.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;

constexpr size_t kMaxLayers = 1000;

// Returns an error about the node unless the shape is valid for a layer by itself.
absl::Status CheckLayerShape(const NodeProto& node, LayerShape shape) {
  shape.name = PlainName(node.name());
  shape.inputs.assign(shape.inputs.size(), 0);
  return AboutNode(node, CheckShapes({std::move(shape)}));
}

}  // namespace

std::string Importer::LayerName(const NodeProto& node, absl::string_view weight) {
  std::string name;
  for (const absl::string_view suffix :
       {".weight", ".weight_quantized", ".weight_transposed", ".weight_t", ".weight_t_quantized"}) {
    if (absl::string_view stem = weight; absl::ConsumeSuffix(&stem, suffix)) {
      name = PlainName(stem);
    }
  }
  name = name.empty() ? PlainName(node.name()) : name;
  return UniqueName(name.empty() ? PlainName(node.output(0)) : name);
}

std::string Importer::UniqueName(const std::string& name) {
  std::string unique = name;
  for (int i = 2; !names_.insert(unique).second; ++i) {
    unique = absl::StrCat(name, "_", i);
  }
  return unique;
}

absl::StatusOr<OnnxLayer> Importer::ConvolutionLayer(const NodeProto& node, const Value& input, NodeWeights weights,
                                                     std::vector<int32_t> bias) const {
  const Extent extent = builder_->Of(input.tensor);
  const std::vector<int64_t>& dims = weights.dims;
  if (input.flat || dims[1] != extent.channels || dims[3] != dims[2]) {
    return UnsupportedNode(
        node, absl::StrCat("weights of (", dims[0], ", ", dims[1], ", ", dims[2], ", ", dims[3], "), expected (out, ",
                           extent.channels, ", k, k); Lockstep has no groups, and square kernels only"));
  }
  if (dims[2] < 1 || dims[2] > kMaxOnnxSide || dims[0] < 1 || dims[0] > kMaxOnnxSide) {
    return UnsupportedNode(node, "a size of its weights that Lockstep does not have");
  }
  ASSIGN_OR_RETURN(const Window window, ReadWindow(node, dims[2]));
  OnnxLayer layer;
  layer.node = &node;
  layer.shape = ConvShape("", input.tensor, extent, static_cast<uint32_t>(dims[0]), static_cast<uint32_t>(dims[2]));
  layer.shape.stride = window.stride;
  layer.shape.padding = window.padding;
  if (extent.height == extent.width && extent.height == layer.shape.kernel && window.padding == 0) {
    layer.shape = LinearShape("", input.tensor, extent, layer.shape.out_channels);
  }
  RETURN_IF_ERROR(CheckLayerShape(node, layer.shape));
  layer.weights = std::make_shared<const NodeWeights>(std::move(weights));
  layer.bias = std::make_shared<const std::vector<int32_t>>(std::move(bias));
  return layer;
}

absl::StatusOr<OnnxLayer> Importer::LinearLayer(const NodeProto& node, const Value& input, NodeWeights weights,
                                                std::vector<int32_t> bias) const {
  const Extent extent = builder_->Of(input.tensor);
  const int64_t out = weights.dims[0], in = weights.dims[1];
  if (!input.flat || extent.height != extent.width || static_cast<uint64_t>(in) != extent.Size()) {
    return UnsupportedNode(
        node, absl::StrCat("reads ", extent.channels, " channels of ", extent.height, " x ", extent.width,
                           input.flat ? ", flat" : ", not flat", ", where its weights need a flat input of ", in));
  }
  if (out < 1 || out > kMaxOnnxSide) {
    return UnsupportedNode(node, absl::StrCat(out, " outputs, expected 1 to ", kMaxOnnxSide));
  }
  OnnxLayer layer;
  layer.node = &node;
  layer.flat = true;
  layer.shape = LinearShape("", input.tensor, extent, static_cast<uint32_t>(out));
  RETURN_IF_ERROR(CheckLayerShape(node, layer.shape));
  layer.weights = std::make_shared<const NodeWeights>(std::move(weights));
  layer.bias = std::make_shared<const std::vector<int32_t>>(std::move(bias));
  return layer;
}

absl::StatusOr<OnnxLayer> Importer::AdditionLayer(const NodeProto& node, const Value& a, const Value& b) const {
  const Extent extent = builder_->Of(a.tensor);
  if (builder_->Of(b.tensor) != extent || a.flat != b.flat) {
    return UnsupportedNode(node, "adds tensors of two shapes");
  }
  OnnxLayer layer;
  layer.node = &node;
  layer.flat = a.flat;
  layer.shape = AddShape("", a.tensor, b.tensor, extent);
  return layer;
}

absl::StatusOr<OnnxLayer> Importer::AverageLayer(const NodeProto& node, const Value& input) const {
  ASSIGN_OR_RETURN(const int64_t channels_last, IntAttribute(node, "channels_last", 0));
  if (channels_last != 0 || input.flat) {
    return UnsupportedNode(node, "expected an input of (N, channels, height, width) that a quantized layer writes");
  }
  OnnxLayer layer;
  layer.node = &node;
  layer.shape = GlobalAveragePoolShape("", input.tensor, builder_->Of(input.tensor));
  return layer;
}

absl::StatusOr<uint32_t> Importer::Added(const NodeProto& node, const absl::StatusOr<uint32_t>& tensor) const {
  if (!tensor.ok()) {
    return AboutNode(node, tensor.status());
  }
  if (builder_->shapes().size() > kMaxLayers) {
    return UnsupportedNode(node, absl::StrCat("more than ", kMaxLayers, " layers"));
  }
  return *tensor;
}

OnnxValue Importer::Written(const NodeProto& node, uint32_t tensor, Value value) const {
  value.tensor = tensor;
  value.sole = graph_.Readers(node.output(0)) == 1;
  return value;
}

absl::StatusOr<QuantizedWeights> Importer::Split(const NodeProto& node, const OnnxLayer& layer, LayerShape& shape) {
  const uint32_t terms = TermsPerWeight(*layer.weights);
  RETURN_IF_ERROR(Count(node, terms * layer.weights->values.size()));
  if (terms > 1) {
    ASSIGN_OR_RETURN(shape.inputs[0], Copies(node, shape.inputs[0], terms));
    shape.in_channels *= terms;
  }
  QuantizedWeights weights = SplitWeights(*layer.weights, terms);
  weights.bias = *layer.bias;
  return weights;
}

absl::StatusOr<bool> Importer::IsRelu(const NodeProto& node, double low, double high, int32_t zero_point) const {
  // An end that rounds to -128 or 127 changes nothing.
  if (!(high > 126.5) || (low > -127.5 && low != zero_point)) {
    return UnsupportedNode(node, "expected a lower end at the zero point, and no upper end below the largest value");
  }
  return low > -127.5;
}

absl::StatusOr<OnnxValue> Importer::AddQuantized(const NodeProto& node, const OnnxLayer& layer,
                                                 const FileParams& output) {
  LayerShape shape = layer.shape;
  const double zero_point = output.params.zero_point;
  ASSIGN_OR_RETURN(shape.relu,
                   IsRelu(*layer.node, layer.low / static_cast<double>(output.params.step) + zero_point,
                          layer.high / static_cast<double>(output.params.step) + zero_point, output.params.zero_point));
  const bool has_weights = layer.weights != nullptr;
  QuantizedWeights weights;
  if (has_weights) {
    ASSIGN_OR_RETURN(weights, Split(node, layer, shape));
  }
  shape.name = LayerName(*layer.node, layer.weight_name);
  ASSIGN_OR_RETURN(const uint32_t tensor,
                   Added(node, has_weights ? builder_->AddWeighted(std::move(shape), weights, output.params)
                                           : builder_->AddWithoutWeights(std::move(shape), output.params)));
  return Written(node, tensor, {Value::kQuantized, 0, output.is_signed, layer.flat});
}

absl::StatusOr<OnnxValue> Importer::AddSums(const NodeProto& node, const OnnxLayer& layer, Value::Kind kind) {
  if (layer.weights == nullptr || layer.shape.pool != 0 || !layer.IsUnlimited()) {
    return UnsupportedNode(*layer.node, "its result stays in float32; quantize what it writes, too");
  }
  if (kind == Value::kRealSums && layer.weights->steps.size() != 1) {
    return UnsupportedNode(*layer.node,
                           "float logits of weights with a scale for each class, whose sums cannot be compared; "
                           "quantize the logits, too, or the last layer per tensor");
  }
  LayerShape shape = layer.shape;
  ASSIGN_OR_RETURN(const QuantizedWeights weights, Split(node, layer, shape));
  shape.name = LayerName(*layer.node, layer.weight_name);
  ASSIGN_OR_RETURN(const uint32_t tensor, Added(node, builder_->AddSums(std::move(shape), weights)));
  return Written(node, tensor, {kind, 0, false, /*flat=*/true});
}

}  // namespace lockstep
