#include "lib/int8/quantize_layers.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/int8/histogram.h"
#include "lib/int8/quant_params.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

void DescribeShape(const LayerShape& shape, proto::QuantizedLayer& layer) {
  layer.set_name(shape.name);
  layer.set_kind(shape.kind == LayerKind::kConv2d ? "conv2d" : "linear");
  layer.add_weight_shape(shape.out_channels);
  layer.add_weight_shape(shape.in_channels);
  if (shape.kind == LayerKind::kConv2d) {
    layer.add_weight_shape(shape.kernel);
    layer.add_weight_shape(shape.kernel);
  }
  layer.set_relu(shape.relu);
  layer.set_max_pool(shape.pool);
}

// Steps 1 and 2: histogram and int8 values of the weights.
absl::Status QuantizeLayerWeights(const FloatLayer& source, proto::WeightRange range, proto::QuantizedLayer& layer) {
  ASSIGN_OR_RETURN(const QuantizedTensor tensor,
                   QuantizeWeights(source.weight, range, absl::StrCat(source.shape.name, ".weight")));
  *layer.mutable_weight_histogram() = EmptyHistogram(-tensor.max_abs, tensor.max_abs);
  AddToHistogram(source.weight.data(), source.weight.size(), *layer.mutable_weight_histogram());
  layer.set_weight(std::string(tensor.values.begin(), tensor.values.end()));
  layer.set_weight_scale(tensor.scale);
  layer.set_max_abs_weight(tensor.max_abs);
  layer.set_weight_three_sigma(tensor.three_sigma);
  layer.set_weight_saturated_fraction(static_cast<double>(tensor.saturated) /
                                      static_cast<double>(source.weight.size()));
  return absl::OkStatus();
}

// Steps 3 and 4: histograms of the activations, and the scale of the output. `input_scale` is S_in; returns S_out.
absl::StatusOr<double> QuantizeLayerOutput(const LayerShape& shape, const LayerStatistics& statistics,
                                           double input_scale, proto::QuantizedLayer& layer) {
  *layer.mutable_activation_before_relu() = statistics.before_relu.histogram;
  if (shape.relu) {
    *layer.mutable_activation_after_relu() = statistics.after_relu.histogram;
  }
  const RangeSummary& output = statistics.after_relu.summary;
  layer.set_output_max_abs(output.MaxAbs());
  layer.set_activation_three_sigma(output.ThreeSigma());
  ASSIGN_OR_RETURN(const double output_scale, ActivationScale(output.MaxAbs(), shape.name));
  const double accumulator_scale = input_scale * layer.weight_scale();
  ASSIGN_OR_RETURN(const float multiplier,
                   RequantizeMultiplier(input_scale, layer.weight_scale(), output_scale, shape.name));
  layer.set_accumulator_scale(accumulator_scale);
  layer.set_output_scale(output_scale / accumulator_scale);
  layer.set_multiplier(multiplier);
  return accumulator_scale * layer.output_scale();
}

// Step 5: the bias as int32, and the proof that no sum can overflow.
absl::Status QuantizeLayerBias(const FloatLayer& source, proto::QuantizedLayer& layer) {
  ASSIGN_OR_RETURN(const std::vector<int32_t> bias,
                   QuantizeBias(source.bias, layer.accumulator_scale(), absl::StrCat(source.shape.name, ".bias")));
  layer.mutable_bias()->Add(bias.begin(), bias.end());
  const std::vector<int8_t> weight(layer.weight().begin(), layer.weight().end());
  const int64_t bound = AccumulatorBound(weight, bias, source.shape.out_channels);
  layer.set_accumulator_bound(bound);
  return CheckAccumulatorBound(bound, source.shape.name);
}

// `weight_of` makes a weight from its int8 value and the layer's scale.
template <typename WeightOf>
FloatNetwork ReplaceWeights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized, WeightOf weight_of) {
  FloatNetwork result = network;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const proto::QuantizedLayer& layer = quantized.layer(static_cast<int>(i));
    for (size_t k = 0; k < result.layers[i].weight.size(); ++k) {
      result.layers[i].weight[k] = weight_of(static_cast<int8_t>(layer.weight()[k]), layer.weight_scale());
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<proto::QuantizedNetwork> QuantizeLayers(const FloatNetwork& network, const Calibration& calibration,
                                                       proto::WeightRange range) {
  RETURN_IF_ERROR(CheckNetwork(network));
  proto::QuantizedNetwork quantized;
  quantized.set_name(network.name);
  quantized.set_has_bias(network.HasBias());
  const RangeSummary& input = calibration.input.summary;
  ASSIGN_OR_RETURN(double scale, ActivationScale(input.MaxAbs(), "input"));
  quantized.set_input_scale(scale);
  quantized.set_input_three_sigma(input.ThreeSigma());
  *quantized.mutable_input_histogram() = calibration.input.histogram;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    proto::QuantizedLayer& layer = *quantized.add_layer();
    DescribeShape(network.layers[i].shape, layer);
    RETURN_IF_ERROR(QuantizeLayerWeights(network.layers[i], range, layer));
    ASSIGN_OR_RETURN(scale, QuantizeLayerOutput(network.layers[i].shape, calibration.layers[i], scale, layer));
    RETURN_IF_ERROR(QuantizeLayerBias(network.layers[i], layer));
  }
  return quantized;
}

FloatNetwork WithInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized) {
  return ReplaceWeights(network, quantized,
                        [](int8_t value, double scale) { return static_cast<float>(value / scale); });
}

FloatNetwork WithUnscaledInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized) {
  return ReplaceWeights(network, quantized, [](int8_t value, double) { return static_cast<float>(value); });
}

}  // namespace lockstep
