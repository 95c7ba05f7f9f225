#include "lib/int8/quantize_layers.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/int8/affine_params.h"
#include "lib/int8/histogram.h"
#include "lib/int8/quant_params.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/range_choice.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

// Returns scale and zero point for activations with these values.
absl::StatusOr<AffineParams> ActivationParams(const FineHistogram& values, const proto::QuantizeSpec& spec,
                                              absl::string_view name) {
  const QuantizationScheme scheme = spec.zero_points() ? QuantizationScheme::kAffine : QuantizationScheme::kSymmetric;
  ASSIGN_OR_RETURN(const Range range, ChooseRange(values, spec.activation_range(), spec.percentile(), scheme, name));
  return MakeAffineParams(range, scheme, name);
}

// Quantizer of a network's layers, in sequence.
class LayerQuantizer {
 public:
  LayerQuantizer(const FloatNetwork& network, const Calibration& calibration, const proto::QuantizeSpec& spec)
      : network_(network), calibration_(calibration), spec_(spec) {}

  absl::StatusOr<proto::QuantizedNetwork> Run() {
    record_.set_name(network_.name);
    record_.set_has_bias(network_.HasBias());
    RETURN_IF_ERROR(QuantizeInput());
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const FloatLayer& source = network_.layers[i];
      proto::QuantizedLayer& layer = *record_.add_layer();
      DescribeShape(source.shape, layer);
      layer.set_writes_sums(WritesSums(i));
      DescribeActivations(i, layer);
      ASSIGN_OR_RETURN(const AffineParams output, OutputParams(i, layer));
      RETURN_IF_ERROR(source.shape.HasWeights() ? QuantizeWeighted(source, output, layer)
                                                : QuantizeWithoutWeights(source.shape, output, layer));
      layer.set_zero_point(output.zero_point);
      layer.set_tensor_scale(layer.writes_sums() ? 0 : output.scale);
      tensors_.push_back(output);
    }
    return std::move(record_);
  }

 private:
  bool IsLast(size_t layer) const { return layer + 1 == network_.layers.size(); }

  bool WritesSums(size_t layer) const {
    const LayerShape& shape = network_.layers[layer].shape;
    return IsLast(layer) && !spec_.int8_logits() && shape.HasWeights() && !shape.relu && shape.pool == 0;
  }

  absl::Status QuantizeInput() {
    const FineHistogram& input = calibration_.input;
    ASSIGN_OR_RETURN(const AffineParams params, ActivationParams(input, spec_, "input"));
    tensors_.push_back(params);
    record_.set_input_scale(params.scale);
    record_.set_input_zero_point(params.zero_point);
    record_.set_input_step(Step(params.scale));
    record_.set_input_three_sigma(input.ThreeSigma());
    *record_.mutable_input_histogram() = input.ToHistogram(kHistogramBins);
    return absl::OkStatus();
  }

  // Fills histograms and ranges of the fp32 layer's outputs.
  void DescribeActivations(size_t index, proto::QuantizedLayer& layer) const {
    const LayerStatistics& statistics = calibration_.layers[index];
    *layer.mutable_activation_before_relu() = statistics.before_relu.ToHistogram(kHistogramBins);
    if (layer.relu()) {
      *layer.mutable_activation_after_relu() = statistics.after_relu.ToHistogram(kHistogramBins);
    }
    const FineHistogram& output = statistics.Output(network_.layers[index].shape);
    layer.set_output_max_abs(output.MaxAbs());
    layer.set_activation_three_sigma(output.ThreeSigma());
  }

  // Returns scale and zero point of the layer's output. Sums need neither, so the range is not computed for them.
  absl::StatusOr<AffineParams> OutputParams(size_t index, const proto::QuantizedLayer& layer) const {
    if (layer.writes_sums()) {
      return AffineParams();
    }
    return ActivationParams(calibration_.layers[index].Output(network_.layers[index].shape), spec_, layer.name());
  }

  absl::Status QuantizeWeighted(const FloatLayer& source, const AffineParams& output, proto::QuantizedLayer& layer) {
    const AffineParams& input = tensors_[source.shape.inputs[0]];
    const std::string name = source.shape.name;
    const bool per_channel = spec_.per_channel() && !IsLast(static_cast<size_t>(record_.layer_size()) - 1);
    ASSIGN_OR_RETURN(const QuantizedTensor weights,
                     per_channel ? QuantizeChannels(source.weight, source.shape.out_channels, source.bias, input.scale,
                                                    spec_.weight_range(), name + ".weight")
                                 : QuantizeWeights(source.weight, spec_.weight_range(), name + ".weight"));
    DescribeWeights(source, weights, layer);
    layer.set_accumulator_scale(input.scale * weights.scale);
    if (!layer.writes_sums()) {
      layer.set_output_scale(output.scale / layer.accumulator_scale());
      RETURN_IF_ERROR(SetMultipliers(input.scale, output.scale, weights, layer));
    }
    ASSIGN_OR_RETURN(const std::vector<int32_t> bias, QuantizeBias(source.bias, input.scale, weights, name + ".bias"));
    layer.mutable_bias()->Add(bias.begin(), bias.end());
    const int64_t bound = AccumulatorBound(weights.values, bias, source.shape.out_channels, input.zero_point);
    layer.set_accumulator_bound(bound);
    return CheckAccumulatorBound(bound, name);
  }

  static void DescribeWeights(const FloatLayer& source, const QuantizedTensor& weights, proto::QuantizedLayer& layer) {
    *layer.mutable_weight_histogram() = EmptyHistogram(-weights.max_abs, weights.max_abs);
    AddToHistogram(source.weight.data(), source.weight.size(), *layer.mutable_weight_histogram());
    layer.set_weight(std::string(weights.values.begin(), weights.values.end()));
    layer.set_weight_scale(weights.scale);
    layer.mutable_channel_weight_scale()->Add(weights.channel_scale.begin(), weights.channel_scale.end());
    layer.set_max_abs_weight(weights.max_abs);
    layer.set_weight_three_sigma(weights.three_sigma);
    layer.set_weight_saturated_fraction(static_cast<double>(weights.saturated) /
                                        static_cast<double>(source.weight.size()));
  }

  static absl::Status SetMultipliers(double input_scale, double output_scale, const QuantizedTensor& weights,
                                     proto::QuantizedLayer& layer) {
    if (weights.channel_scale.empty()) {
      ASSIGN_OR_RETURN(const float multiplier,
                       RequantizeMultiplier(input_scale, weights.scale, output_scale, layer.name()));
      layer.set_multiplier(multiplier);
    }
    for (const double scale : weights.channel_scale) {
      ASSIGN_OR_RETURN(const float multiplier, RequantizeMultiplier(input_scale, scale, output_scale, layer.name()));
      layer.add_channel_multiplier(multiplier);
    }
    return absl::OkStatus();
  }

  absl::Status QuantizeWithoutWeights(const LayerShape& shape, const AffineParams& output,
                                      proto::QuantizedLayer& layer) const {
    if (shape.kind == LayerKind::kGlobalAveragePool) {
      ASSIGN_OR_RETURN(const float multiplier, PoolMultiplier(tensors_[shape.inputs[0]].scale, output.scale,
                                                              shape.in_height * shape.in_width, shape.name));
      layer.set_multiplier(multiplier);
      layer.set_accumulator_scale(tensors_[shape.inputs[0]].scale);
      layer.set_output_scale(output.scale / layer.accumulator_scale() / (shape.in_height * shape.in_width));
      return absl::OkStatus();
    }
    for (const uint32_t input : shape.inputs) {
      ASSIGN_OR_RETURN(const float factor, AddFactor(tensors_[input].scale, output.scale, shape.name));
      layer.add_add_factor(factor);
    }
    return absl::OkStatus();
  }

  const FloatNetwork& network_;
  const Calibration& calibration_;
  const proto::QuantizeSpec& spec_;
  std::vector<AffineParams> tensors_;  // parameters of the image and of each layer's output
  proto::QuantizedNetwork record_;
};

// Replaces every weight by weight_of(its int8 value, its scale).
template <typename WeightOf>
FloatNetwork ReplaceWeights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized, WeightOf weight_of) {
  FloatNetwork result = network;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const proto::QuantizedLayer& layer = quantized.layer(static_cast<int>(i));
    std::vector<float>& weight = result.layers[i].weight;
    for (size_t k = 0; k < weight.size(); ++k) {
      const double scale = WeightScaleOf(layer, k / result.layers[i].shape.Terms());
      weight[k] = weight_of(static_cast<int8_t>(layer.weight()[k]), scale);
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<proto::QuantizedNetwork> QuantizeLayers(const FloatNetwork& network, const Calibration& calibration,
                                                       const proto::QuantizeSpec& spec) {
  RETURN_IF_ERROR(CheckNetwork(network));
  return LayerQuantizer(network, calibration, spec).Run();
}

FloatNetwork WithInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized) {
  return ReplaceWeights(network, quantized,
                        [](int8_t value, double scale) { return static_cast<float>(value / scale); });
}

FloatNetwork WithUnscaledInt8Weights(const FloatNetwork& network, const proto::QuantizedNetwork& quantized) {
  return ReplaceWeights(network, quantized, [](int8_t value, double) { return static_cast<float>(value); });
}

}  // namespace lockstep
