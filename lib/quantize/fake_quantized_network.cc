#include "lib/quantize/fake_quantized_network.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/div.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/round.h>
#include <ATen/ops/std.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <optional>

#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

constexpr double kWeightMax = 127;        // weights lie in [-127, 127]
constexpr double kLargestBias = 1 << 30;  // limit of QuantizeChannels (lib/int8/quant_params.h)

// Function that returns `rounded`. In the backward pass, the gradient goes to `smooth` where `inside` is true.
struct StraightThrough : torch::autograd::Function<StraightThrough> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& smooth,
                            const at::Tensor& rounded, const at::Tensor& inside) {
    context->save_for_backward({inside});
    return rounded;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {at::where(context->get_saved_variables()[0], gradients[0], 0), at::Tensor(), at::Tensor()};
  }
};

// Tensor between layers: int8 values less their zero point, fp32 (N, channels, height, width).
struct Quantized {
  at::Tensor values;
  double scale = 1;
  int32_t zero_point = 0;
};

struct Layer {
  LayerShape shape;
  at::Tensor weight;  // fp32 (out, in, kernel, kernel), channels last; undefined without weights
  at::Tensor bias;    // fp32 (out); undefined: no bias
  bool per_channel = false;
  bool writes_sums = false;
  double output_scale = 1;
  int32_t zero_point = 0;
  float pool_multiplier = 1;
  float add_factor[2] = {1, 1};
};

// Divides `values` by a number. With a host scalar as divisor, CUDA would multiply by its reciprocal instead.
at::Tensor Divide(const at::Tensor& values, double divisor) {
  return at::div(values, at::full({1}, divisor, values.options().requires_grad(false)));
}

// Returns channels last for a GPU only: on CPUs with AVX2, oneDNN's weight gradient of a 1x1 convolution of stride 2 is
// wrong in that format (LibTorch 2.11, 6 to 9 channels: error of 0.5 to 1.1 times its norm, other bits each time;
// 2026-11-25, AMD EPYC).
at::MemoryFormat FormatOn(c10::Device device) {
  return device.is_cuda() ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
}

at::Tensor ToParameter(const std::vector<float>& values, at::IntArrayRef sizes, c10::Device device) {
  // from_blob requires a non-const pointer, but only reads here.
  const at::Tensor copy = at::from_blob(const_cast<float*>(values.data()), sizes).clone().to(device);
  return (sizes.size() == 4 ? copy.contiguous(FormatOn(device)) : copy).requires_grad_(true);
}

std::vector<float> ToVector(const at::Tensor& parameter) {
  const at::Tensor values = parameter.detach().cpu().contiguous(at::MemoryFormat::Contiguous);
  return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel()};
}

Layer ToLayer(const FloatLayer& source, const proto::QuantizedLayer& record, c10::Device device) {
  Layer layer;
  layer.shape = source.shape;
  if (source.shape.HasWeights()) {
    const int64_t out = source.shape.out_channels, in = source.shape.in_channels, kernel = source.shape.kernel;
    layer.weight = ToParameter(source.weight, {out, in, kernel, kernel}, device);
  }
  if (!source.bias.empty()) {
    layer.bias = ToParameter(source.bias, {static_cast<int64_t>(source.bias.size())}, device);
  }
  layer.per_channel = !record.channel_weight_scale().empty();
  layer.writes_sums = record.writes_sums();
  layer.output_scale = record.writes_sums() ? 1 : record.tensor_scale();
  layer.zero_point = record.zero_point();
  layer.pool_multiplier = record.multiplier();
  for (int i = 0; i < record.add_factor_size(); ++i) {
    layer.add_factor[i] = record.add_factor(i);
  }
  return layer;
}

// Returns the weight scale of each row, double (rows), as in QuantizeWeights; a row of zeros gets `of_zeros`.
at::Tensor RowScales(const at::Tensor& rows, proto::WeightRange range, const at::Tensor& of_zeros) {
  const at::Tensor largest = at::amax(at::abs(rows), {1});
  at::Tensor covered = largest;
  if (range == proto::THREE_SIGMA) {
    const at::Tensor deviation = at::std(rows, at::OptionalIntArrayRef({1}), /*correction=*/0);
    covered = at::minimum(largest, at::abs(at::mean(rows, {1})) + deviation * 3);
  }
  return at::where(largest == 0, of_zeros, at::full_like(covered, kWeightMax) / covered);
}

// Returns the scales of a layer's weights, double (1) or (out), as in QuantizeWeights or QuantizeChannels.
at::Tensor WeightScales(const Layer& layer, double input_scale, proto::WeightRange range) {
  const at::Tensor weight = layer.weight.detach().to(at::kDouble);
  const at::Tensor whole = RowScales(weight.reshape({1, -1}), range, at::full({1}, 1, weight.options()));
  if (!layer.per_channel) {
    return whole;
  }
  const at::Tensor scales = RowScales(weight.reshape({weight.size(0), -1}), range, whole);
  if (!layer.bias.defined()) {
    return scales;
  }
  const at::Tensor bias = at::abs(layer.bias.detach().to(at::kDouble));
  return at::minimum(scales, at::full_like(bias, kLargestBias) / (bias * input_scale));
}

// Returns weights as integers, fp32. `scales`: double, along the first dimension.
at::Tensor RoundWeight(const at::Tensor& weight, const at::Tensor& scales) {
  const at::Tensor along = scales.reshape({-1, 1, 1, 1});
  const at::Tensor rounded = at::round(weight.detach().to(at::kDouble) * along);
  return StraightThrough::apply(at::mul(weight, along.to(at::kFloat)),
                                at::clamp(rounded, -kWeightMax, kWeightMax).to(at::kFloat),
                                at::abs(rounded) <= kWeightMax);
}

// Returns biases as integers in the accumulator's scales, fp32. `scales`: double (1) or (out).
std::optional<at::Tensor> RoundBias(const at::Tensor& bias, const at::Tensor& scales) {
  if (!bias.defined()) {
    return std::nullopt;
  }
  const at::Tensor rounded = at::round(bias.detach().to(at::kDouble) * scales).to(at::kFloat);
  return StraightThrough::apply(at::mul(bias, scales.to(at::kFloat)), rounded,
                                at::ones_like(rounded, rounded.options().dtype(at::kBool)));
}

// Returns a layer's output. `smooth`: outputs in their scale, without the zero point, not rounded; `rounded`: the same
// values rounded, with the zero point.
Quantized Finish(const Layer& layer, const at::Tensor& smooth, const at::Tensor& rounded) {
  const double min_value = layer.shape.relu ? layer.zero_point : kInt8Min;
  const at::Tensor above = layer.shape.relu ? smooth.detach() > 0 : rounded >= min_value;
  const at::Tensor values = StraightThrough::apply(smooth, at::clamp(rounded, min_value, kInt8Max) - layer.zero_point,
                                                   at::logical_and(above, rounded <= kInt8Max));
  return {layer.shape.pool == 0 ? values : at::max_pool2d(values, layer.shape.pool), layer.output_scale,
          layer.zero_point};
}

// Adds two tensors like AddAndRound of lib/int8/requantize.h; the multiply-adds are exact in double.
Quantized Add(const Layer& layer, const Quantized& a, const Quantized& b) {
  const AddFactors factors =
      MakeAddFactors(layer.add_factor[0], layer.add_factor[1], a.zero_point, b.zero_point, layer.zero_point);
  const auto as_uint8 = [](const Quantized& tensor) {
    return tensor.values.detach().to(at::kDouble) + (tensor.zero_point + 128);
  };
  const at::Tensor part = (as_uint8(b) * factors.b + factors.offset).to(at::kFloat);
  const at::Tensor rounded = at::round((as_uint8(a) * factors.a + part).to(at::kFloat)) - 128;
  return Finish(layer, a.values * factors.a + b.values * factors.b, rounded);
}

// Applies Requantize of lib/int8/requantize.h. `multiplier`: a number, or fp32 along the channels.
template <typename Multiplier>
Quantized Requantized(const Layer& layer, const at::Tensor& sums, const Multiplier& multiplier) {
  const at::Tensor smooth = at::mul(sums, multiplier);
  return Finish(layer, smooth, at::round(smooth.detach()) + layer.zero_point);
}

// Returns RequantizeMultiplier (lib/int8/requantize.h) as fp32 (1, out or 1, 1, 1). `weight_scales`: double (1) or
// (out).
at::Tensor Multipliers(const at::Tensor& weight_scales, double input_scale, double output_scale) {
  const at::Tensor products = at::reciprocal(weight_scales).to(at::kFloat) * Step(input_scale);
  return Divide(products, Step(output_scale)).reshape({1, -1, 1, 1});
}

}  // namespace

struct FakeQuantizedNetwork::State {
  FloatNetwork source;
  proto::WeightRange weight_range = proto::MAX_ABS;
  double input_scale = 1;
  int32_t input_zero_point = 0;
  std::vector<Layer> layers;

  Quantized QuantizeImages(const at::Tensor& images) const {
    const at::Tensor rounded = at::round(Divide(images, Step(input_scale))) + input_zero_point;
    const at::Tensor values = at::clamp(rounded, kInt8Min, kInt8Max) - input_zero_point;
    return {values.contiguous(FormatOn(images.device())), input_scale, input_zero_point};
  }

  // Runs a layer with weights. If it writes sums, their scale is the accumulator's.
  Quantized RunWeighted(const Layer& layer, const Quantized& input) const {
    const at::Tensor scales = WeightScales(layer, input.scale, weight_range);
    const at::Tensor sums =
        at::conv2d(input.values, RoundWeight(layer.weight, scales), RoundBias(layer.bias, scales * input.scale),
                   layer.shape.stride, layer.shape.padding);
    if (layer.writes_sums) {
      return {sums, scales.item<double>() * input.scale, 0};
    }
    return Requantized(layer, sums, Multipliers(scales, input.scale, layer.output_scale));
  }

  Quantized RunLayer(const Layer& layer, const std::vector<Quantized>& tensors) const {
    const Quantized& input = tensors[layer.shape.inputs[0]];
    switch (layer.shape.kind) {
      case LayerKind::kAdd:
        return Add(layer, input, tensors[layer.shape.inputs[1]]);
      case LayerKind::kGlobalAveragePool:
        return Requantized(layer, at::sum(input.values, {2, 3}, /*keepdim=*/true), layer.pool_multiplier);
      default:
        return RunWeighted(layer, input);
    }
  }
};

FakeQuantizedNetwork::FakeQuantizedNetwork(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                           const proto::QuantizeSpec& spec, c10::Device device)
    : state_(std::make_unique<State>()) {
  state_->source = network;
  state_->weight_range = spec.weight_range();
  state_->input_scale = record.input_scale();
  state_->input_zero_point = record.input_zero_point();
  for (size_t i = 0; i < network.layers.size(); ++i) {
    state_->layers.push_back(ToLayer(network.layers[i], record.layer(static_cast<int>(i)), device));
  }
}

FakeQuantizedNetwork::~FakeQuantizedNetwork() = default;

QuantizedOutput FakeQuantizedNetwork::Run(const at::Tensor& images) const {
  std::vector<Quantized> tensors = {state_->QuantizeImages(images)};
  for (const Layer& layer : state_->layers) {
    tensors.push_back(state_->RunLayer(layer, tensors));
  }
  const Quantized& last = tensors.back();
  const at::Tensor values = last.values.reshape({last.values.size(0), -1});
  return {values.detach() + last.zero_point, values * Step(last.scale)};
}

std::vector<at::Tensor> FakeQuantizedNetwork::Parameters() const {
  std::vector<at::Tensor> parameters;
  for (const Layer& layer : state_->layers) {
    for (const at::Tensor& parameter : {layer.weight, layer.bias}) {
      if (parameter.defined()) {
        parameters.push_back(parameter);
      }
    }
  }
  return parameters;
}

FloatNetwork FakeQuantizedNetwork::Network() const {
  FloatNetwork network = state_->source;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = state_->layers[i];
    if (layer.weight.defined()) {
      network.layers[i].weight = ToVector(layer.weight);
    }
    if (layer.bias.defined()) {
      network.layers[i].bias = ToVector(layer.bias);
    }
  }
  return network;
}

}  // namespace lockstep
