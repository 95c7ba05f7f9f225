#include "lib/int8/integer_reference.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "lib/int8/plain_layers.h"

namespace lockstep {
namespace {

using Tensors = std::vector<std::vector<int8_t>>;

// Returns the layer's int32 sums: shape.Out() for a weighted layer, one per channel for a pool.
std::vector<int32_t> Accumulate(const IntegerLayer& layer, const std::vector<int8_t>& input, int32_t zero_point) {
  std::vector<int32_t> sums(layer.shape.Out().Size());
  if (layer.shape.HasWeights()) {
    WeightedSum(layer.shape, input.data(), zero_point, layer.weight.data(),
                layer.bias.empty() ? nullptr : layer.bias.data(), sums.data());
  } else {
    SumPixels(layer.shape, input.data(), zero_point, sums.data());
  }
  return sums;
}

// Returns the outputs in their scale, zero point included, rounded but not clamped: float32 (height, width, out).
std::vector<float> Scale(const IntegerLayer& layer, const std::vector<int32_t>& sums) {
  std::vector<float> rounded(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t o = i % layer.shape.out_channels;
    const float bias = layer.float_bias.empty() ? 0.0f : layer.float_bias[o];
    const float multiplier = layer.multiplier[layer.shape.HasWeights() ? o : 0];
    rounded[i] = ScaleAndRound(static_cast<float>(sums[i]) + bias, multiplier) + static_cast<float>(layer.zero_point);
  }
  return rounded;
}

std::vector<float> Add(const IntegerLayer& layer, const std::vector<int8_t>& a, const std::vector<int8_t>& b) {
  std::vector<float> rounded(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    rounded[i] = AddAndRound(a[i], b[i], layer.add) - 128.0f;
  }
  return rounded;
}

void AddToTrace(const LayerShape& shape, const std::vector<int32_t>& sums, const std::vector<float>& rounded,
                IntegerTrace& trace) {
  for (const int32_t sum : sums) {
    trace.accumulator_max_abs = std::max(trace.accumulator_max_abs, std::abs(int64_t{sum}));
  }
  for (const float value : rounded) {
    trace.saturated += value > kInt8Max || (!shape.relu && value < kInt8Min) ? 1 : 0;
  }
  trace.outputs += shape.Out().Size();
}

// Counts the outputs for which integer-only requantization gives another value.
uint64_t CountFixedPointDifferences(const IntegerLayer& layer, const std::vector<int32_t>& sums) {
  if (layer.multiplier.empty() || !layer.float_bias.empty()) {
    return 0;
  }
  std::vector<FixedPointMultiplier> fixed;
  for (const float multiplier : layer.multiplier) {
    fixed.push_back(ToFixedPoint(multiplier));
  }
  uint64_t different = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t channel = layer.shape.HasWeights() ? i % layer.shape.out_channels : 0;
    different += RequantizeFixedPoint(sums[i], fixed[channel], layer.zero_point) !=
                         Requantize(sums[i], layer.multiplier[channel], layer.zero_point)
                     ? 1
                     : 0;
  }
  return different;
}

// Applies clamping, ReLU and pooling.
std::vector<int8_t> Finish(const IntegerLayer& layer, const std::vector<float>& rounded) {
  std::vector<int8_t> output(rounded.size());
  std::transform(rounded.begin(), rounded.end(), output.begin(), ClampToInt8);
  if (layer.shape.relu) {
    Relu(output.data(), output.size(), static_cast<int8_t>(layer.zero_point));
  }
  if (layer.shape.pool == 0) {
    return output;
  }
  std::vector<int8_t> pooled(layer.shape.Pooled().Size());
  MaxPool(layer.shape, output.data(), pooled.data());
  return pooled;
}

}  // namespace

std::vector<LayerShape> IntegerNetwork::Shapes() const {
  std::vector<LayerShape> shapes;
  for (const IntegerLayer& layer : layers) {
    shapes.push_back(layer.shape);
  }
  return shapes;
}

std::vector<int32_t> RunInteger(const IntegerNetwork& network, const int8_t* image, std::vector<IntegerTrace>* trace,
                                const IntegerObserver& observe) {
  Tensors tensors = {{image, image + network.layers.front().shape.In().Size()}};
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const IntegerLayer& layer = network.layers[i];
    const std::vector<int8_t>& input = tensors[layer.shape.inputs[0]];
    std::vector<int32_t> sums;
    std::vector<float> rounded;
    if (layer.shape.kind == LayerKind::kAdd) {
      rounded = Add(layer, input, tensors[layer.shape.inputs[1]]);
    } else {
      sums = Accumulate(layer, input, network.ZeroPoint(layer.shape.inputs[0]));
    }
    if (!layer.multiplier.empty()) {
      rounded = Scale(layer, sums);
    }
    if (trace != nullptr) {
      AddToTrace(layer.shape, sums, rounded, (*trace)[i]);
      (*trace)[i].fixed_point_different += CountFixedPointDifferences(layer, sums);
    }
    if (layer.WritesSums()) {
      return sums;
    }
    tensors.push_back(Finish(layer, rounded));
    if (observe) {
      observe(i, tensors.back());
    }
  }
  return {tensors.back().begin(), tensors.back().end()};
}

}  // namespace lockstep
