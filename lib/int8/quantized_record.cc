#include "lib/int8/quantized_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/integer_network_check.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

absl::Status Contradiction(absl::string_view where, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("network record: ", where, ": ", what, "; make it again with quantize"));
}

const char* KindName(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConv2d:
      return "conv2d";
    case LayerKind::kLinear:
      return "linear";
    case LayerKind::kAdd:
      return "add";
    case LayerKind::kGlobalAveragePool:
      return "global_average_pool";
  }
  return "";
}

absl::StatusOr<LayerKind> ReadKind(const proto::QuantizedLayer& layer) {
  const auto& sizes = layer.weight_shape();
  if (layer.kind() == "conv2d" && sizes.size() == 4 && sizes[2] == sizes[3]) {
    return LayerKind::kConv2d;
  }
  if (layer.kind() == "linear" && sizes.size() == 2) {
    return LayerKind::kLinear;
  }
  if (layer.kind() == "add" && sizes.empty()) {
    return LayerKind::kAdd;
  }
  if (layer.kind() == "global_average_pool" && sizes.empty()) {
    return LayerKind::kGlobalAveragePool;
  }
  return Contradiction(layer.name(), absl::StrCat("kind '", layer.kind(), "' with ", sizes.size(),
                                                  " weight dimensions is neither conv2d (out, in, k, k) nor linear "
                                                  "(out, in) nor, without weights, add or global_average_pool"));
}

// Reads a layer's shape. `before`: the shapes of all earlier layers. Does not check the shape; CheckShapes does.
absl::StatusOr<LayerShape> ReadShape(const proto::QuantizedLayer& layer, const std::vector<LayerShape>& before) {
  LayerShape shape;
  shape.name = layer.name();
  ASSIGN_OR_RETURN(shape.kind, ReadKind(layer));
  shape.inputs.assign(layer.input().begin(), layer.input().end());
  if (shape.inputs.empty()) {
    shape.inputs = {static_cast<uint32_t>(before.size())};
  }
  Extent input = {kImageHeight, kImageWidth, kImageChannels};
  if (const uint32_t tensor = shape.inputs[0]; tensor > before.size()) {
    return Contradiction(shape.name, absl::StrCat("reads tensor ", tensor, ", which no layer before it writes"));
  } else if (tensor > 0) {
    input = before[tensor - 1].Pooled();
  }
  shape.in_height = input.height;
  shape.in_width = input.width;
  shape.in_channels = input.channels;
  shape.out_channels = shape.HasWeights() ? layer.weight_shape(0) : input.channels;
  shape.stride = std::max(layer.stride(), 1u);
  shape.padding = layer.padding();
  shape.relu = layer.relu();
  shape.pool = layer.max_pool();
  if (shape.kind == LayerKind::kConv2d) {
    shape.kernel = layer.weight_shape(2);
  } else if (shape.kind == LayerKind::kLinear) {
    shape.kernel = input.height;
  }
  if (shape.HasWeights() &&
      layer.weight_shape(1) != (shape.kind == LayerKind::kLinear ? input.Size() : input.channels)) {
    return Contradiction(
        shape.name, absl::StrCat("its weights read ", layer.weight_shape(1),
                                 shape.kind == LayerKind::kLinear ? " values" : " channels", ", but its input has ",
                                 input.channels, " channels of ", input.height, " x ", input.width));
  }
  return shape;
}

bool IsFactor(float value) { return std::isnormal(value) && value > 0; }

// Reads multipliers, the factors of an addition, and the zero point.
absl::Status ReadScaling(const proto::QuantizedLayer& source, const IntegerNetwork& network, IntegerLayer& layer) {
  const LayerShape& shape = layer.shape;
  layer.zero_point = source.zero_point();
  if (layer.zero_point < -128 || layer.zero_point > 127) {
    return Contradiction(shape.name, absl::StrCat("a zero point of ", layer.zero_point));
  }
  if (shape.kind == LayerKind::kAdd) {
    if (source.add_factor_size() != 2 || !IsFactor(source.add_factor(0)) || !IsFactor(source.add_factor(1))) {
      return Contradiction(shape.name, "expected two positive factors of its two inputs");
    }
    layer.add = MakeAddFactors(source.add_factor(0), source.add_factor(1), network.ZeroPoint(shape.inputs[0]),
                               network.ZeroPoint(shape.inputs[1]), layer.zero_point);
    return absl::OkStatus();
  }
  if (source.writes_sums()) {
    return absl::OkStatus();
  }
  layer.multiplier.assign(source.channel_multiplier().begin(), source.channel_multiplier().end());
  if (layer.multiplier.empty()) {
    layer.multiplier.assign(shape.HasWeights() ? shape.out_channels : 1, source.multiplier());
  }
  for (const float multiplier : layer.multiplier) {
    if (!IsFactor(multiplier)) {
      return Contradiction(shape.name, absl::StrCat("a multiplier of ", multiplier));
    }
  }
  return absl::OkStatus();
}

}  // namespace

void DescribeShape(const LayerShape& shape, proto::QuantizedLayer& layer) {
  layer.set_name(shape.name);
  layer.set_kind(KindName(shape.kind));
  if (shape.kind == LayerKind::kConv2d) {
    for (const uint32_t size : {shape.out_channels, shape.in_channels, shape.kernel, shape.kernel}) {
      layer.add_weight_shape(size);
    }
  } else if (shape.kind == LayerKind::kLinear) {
    layer.add_weight_shape(shape.out_channels);
    layer.add_weight_shape(static_cast<uint32_t>(shape.In().Size()));
  }
  layer.mutable_input()->Add(shape.inputs.begin(), shape.inputs.end());
  layer.set_stride(shape.stride);
  layer.set_padding(shape.padding);
  layer.set_relu(shape.relu);
  layer.set_max_pool(shape.pool);
}

absl::StatusOr<IntegerNetwork> ToIntegerNetwork(const proto::QuantizedNetwork& record) {
  IntegerNetwork network;
  network.name = record.name();
  network.input_zero_point = record.input_zero_point();
  if (network.input_zero_point < -128 || network.input_zero_point > 127) {
    return Contradiction(record.name(), absl::StrCat("an input zero point of ", network.input_zero_point));
  }
  std::vector<LayerShape> shapes;
  for (const proto::QuantizedLayer& source : record.layer()) {
    IntegerLayer layer;
    ASSIGN_OR_RETURN(layer.shape, ReadShape(source, shapes));
    layer.weight.assign(source.weight().begin(), source.weight().end());
    layer.bias.assign(source.bias().begin(), source.bias().end());
    shapes.push_back(layer.shape);
    if (const absl::Status status = CheckShapes(shapes); !status.ok()) {
      return Contradiction(record.name(), status.message());
    }
    if (layer.weight.size() !=
        layer.shape.WeightSize()) {  // must precede ReadScaling, which allocates memory for any number of channels
      return Contradiction(layer.shape.name,
                           absl::StrCat(layer.weight.size(), " weights, its shape needs ", layer.shape.WeightSize()));
    }
    RETURN_IF_ERROR(ReadScaling(source, network, layer));
    network.layers.push_back(std::move(layer));
  }
  if (network.layers.empty()) {
    return Contradiction(record.name(), "it has no layers");
  }
  if (const absl::Status status = CheckIntegerNetwork(network); !status.ok()) {
    return Contradiction(record.name(), status.message());
  }
  if (const float scale = static_cast<float>(record.input_scale()); !IsFactor(scale)) {
    return Contradiction(record.name(), absl::StrCat("an input scale of ", record.input_scale()));
  }
  if (const float step = record.input_step(); step != 0 && !IsFactor(step)) {
    return Contradiction(record.name(), absl::StrCat("an input step of ", step));
  }
  return network;
}

double WeightScaleOf(const proto::QuantizedLayer& layer, size_t channel) {
  return layer.channel_weight_scale().empty() ? layer.weight_scale()
                                              : layer.channel_weight_scale(static_cast<int>(channel));
}

IntegerNetwork WithFloatBias(IntegerNetwork network, const FloatNetwork& source,
                             const proto::QuantizedNetwork& record) {
  for (size_t i = 0; i < network.layers.size(); ++i) {
    if (network.layers[i].WritesSums()) {
      continue;
    }
    const proto::QuantizedLayer& layer = record.layer(static_cast<int>(i));
    network.layers[i].bias.clear();
    for (size_t o = 0; o < source.layers[i].bias.size(); ++o) {
      const double scale = layer.accumulator_scale() * (WeightScaleOf(layer, o) / layer.weight_scale());
      network.layers[i].float_bias.push_back(static_cast<float>(source.layers[i].bias[o] * scale));
    }
  }
  return network;
}

absl::StatusOr<NormalizationTable> NormalizationOf(const proto::QuantizedNetwork& record) {
  std::array<float, kImageChannels> mean, std;
  if (record.mean_size() != static_cast<int>(kImageChannels) || record.std_size() != static_cast<int>(kImageChannels)) {
    return Contradiction(record.name(), absl::StrCat(record.mean_size(), " means and ", record.std_size(),
                                                     " standard deviations for ", kImageChannels, " channels"));
  }
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    mean[c] = static_cast<float>(record.mean(static_cast<int>(c)));
    std[c] = static_cast<float>(record.std(static_cast<int>(c)));
    if (!std::isfinite(mean[c]) || !std::isnormal(std[c]) || std[c] < 0) {
      return Contradiction(record.name(),
                           absl::StrCat("channel ", c, ": mean ", mean[c], ", standard deviation ", std[c]));
    }
  }
  return MakeNormalizationTable(mean, std);
}

absl::StatusOr<ImageTable> ImageTableOf(const proto::QuantizedNetwork& record) {
  ASSIGN_OR_RETURN(const NormalizationTable normalization, NormalizationOf(record));
  const float scale = static_cast<float>(record.input_scale()), step = record.input_step();
  ImageTable table;
  for (size_t channel = 0; channel < table.size(); ++channel) {
    for (size_t byte = 0; byte < table[channel].size(); ++byte) {
      const float real = normalization[channel][byte];
      const float rounded = std::nearbyint(step == 0 ? real * scale : real / step);
      table[channel][byte] = ClampToInt8(rounded + static_cast<float>(record.input_zero_point()));
    }
  }
  return table;
}

void QuantizeImage(const uint8_t* pixels, const ImageTable& table, int8_t* image) {
  for (uint32_t channel = 0; channel < kImageChannels; ++channel) {
    for (uint32_t pixel = 0; pixel < kPlaneBytes; ++pixel) {
      image[pixel * kImageChannels + channel] = table[channel][pixels[channel * kPlaneBytes + pixel]];
    }
  }
}

}  // namespace lockstep
