#include "lib/int8/integer_reference.h"

#include <algorithm>
#include <cstdlib>

#include "lib/dataset/dataset.h"
#include "lib/int8/plain_layers.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

// The layer's sums, int32 (out, OutHeight, OutWidth).
std::vector<int32_t> Accumulate(const IntegerLayer& layer, const int8_t* input) {
  std::vector<int32_t> sums(layer.shape.OutputSize());
  WeightedSum(layer.shape, input, layer.weight.data(), layer.bias.empty() ? nullptr : layer.bias.data(), sums.data());
  return sums;
}

// The outputs on their scale, rounded but not clamped: float32 (out, OutHeight, OutWidth).
std::vector<float> Scale(const IntegerLayer& layer, const std::vector<int32_t>& sums) {
  std::vector<float> rounded(sums.size());
  const size_t plane = sums.size() / layer.shape.out_channels;
  for (size_t i = 0; i < sums.size(); ++i) {
    const float bias = layer.float_bias.empty() ? 0.0f : layer.float_bias[i / plane];
    rounded[i] = ScaleAndRound(static_cast<float>(sums[i]) + bias, layer.multiplier);
  }
  return rounded;
}

void AddToTrace(const LayerShape& shape, const std::vector<int32_t>& sums, const std::vector<float>& rounded,
                IntegerTrace& trace) {
  for (size_t i = 0; i < sums.size(); ++i) {
    trace.accumulator_max_abs = std::max(trace.accumulator_max_abs, std::abs(int64_t{sums[i]}));
    trace.saturated += rounded[i] > kInt8Max || (!shape.relu && rounded[i] < kInt8Min) ? 1 : 0;
  }
  trace.outputs += sums.size();
}

// Clamp, ReLU, pooling.
std::vector<int8_t> Finish(const LayerShape& shape, const std::vector<float>& rounded) {
  std::vector<int8_t> output(rounded.size());
  std::transform(rounded.begin(), rounded.end(), output.begin(), ClampToInt8);
  if (shape.relu) {
    Relu(output.data(), output.size());
  }
  if (shape.pool == 0) {
    return output;
  }
  std::vector<int8_t> pooled(shape.PooledSize());
  MaxPool(shape, output.data(), pooled.data());
  return pooled;
}

}  // namespace

std::vector<int8_t> RunInteger(const IntegerNetwork& network, const int8_t* image, std::vector<IntegerTrace>* trace) {
  std::vector<int8_t> values(image, image + network.layers.front().shape.InputSize());
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const IntegerLayer& layer = network.layers[i];
    const std::vector<int32_t> sums = Accumulate(layer, values.data());
    const std::vector<float> rounded = Scale(layer, sums);
    if (trace != nullptr) {
      AddToTrace(layer.shape, sums, rounded, (*trace)[i]);
    }
    values = Finish(layer.shape, rounded);
  }
  return values;
}

std::vector<int8_t> QuantizeImage(const uint8_t* pixels, const NormalizationTable& normalization, double scale) {
  std::vector<int8_t> image(kImageBytes);
  for (uint32_t i = 0; i < kImageBytes; ++i) {
    const float real = normalization[i / kPlaneBytes][pixels[i]];
    image[i] = ClampToInt8(ScaleAndRound(real, static_cast<float>(scale)));
  }
  return image;
}

}  // namespace lockstep
