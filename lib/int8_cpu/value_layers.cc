#include "lib/int8_cpu/value_layers.h"

#include <algorithm>
#include <vector>

#include "lib/int8/requantize.h"

namespace lockstep {

template <typename Value>
void ToValues(const int8_t* int8_values, size_t count, Value* values) {
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<Value>(int8_values[i] + 128);
  }
}

template <typename Value, typename Signed>
void FromValues(const Value* values, size_t count, Signed* int8_values) {
  for (size_t i = 0; i < count; ++i) {
    int8_values[i] = static_cast<Signed>(int32_t{values[i]} - 128);
  }
}

// Safe in place: a window is read before its result is written, and no later window reads a written value.
template <typename Value>
void MaxPoolValues(const LayerShape& shape, const Value* input, size_t count, Value* output) {
  const Extent out = shape.Out(), pooled = shape.Pooled();
  const size_t pool = shape.pool;
  std::vector<Value> largest(out.channels);
  for (size_t n = 0; n < count; ++n, input += out.Size()) {
    for (size_t y = 0; y < pooled.height; ++y) {
      for (size_t x = 0; x < pooled.width; ++x) {
        std::fill(largest.begin(), largest.end(), Value{0});
        for (size_t i = 0; i < pool * pool; ++i) {
          const Value* pixel = input + ((y * pool + i / pool) * out.width + x * pool + i % pool) * out.channels;
          for (size_t o = 0; o < out.channels; ++o) {
            largest[o] = std::max(largest[o], pixel[o]);
          }
        }
        output = std::copy(largest.begin(), largest.end(), output);
      }
    }
  }
}

template <typename Value>
void AveragePoolValues(const IntegerLayer& layer, int32_t input_zero_point, const Value* input, size_t count,
                       Value* output) {
  const size_t channels = layer.shape.in_channels;
  const size_t pixels = size_t{layer.shape.in_height} * layer.shape.in_width;
  const int32_t lowest = layer.shape.relu ? layer.zero_point : -128;
  const int32_t start = -static_cast<int32_t>(pixels) * (input_zero_point + 128);
  std::vector<int32_t> sums(channels);
  for (size_t n = 0; n < count; ++n) {
    std::fill(sums.begin(), sums.end(), start);
    for (size_t p = 0; p < pixels; ++p, input += channels) {
      for (size_t c = 0; c < channels; ++c) {
        sums[c] += input[c];
      }
    }
    for (size_t c = 0; c < channels; ++c) {
      const int32_t value = Requantize(sums[c], layer.multiplier[0], layer.zero_point);
      *output++ = static_cast<Value>(std::max(value, lowest) + 128);
    }
  }
}

template void ToValues(const int8_t*, size_t, uint8_t*);
template void ToValues(const int8_t*, size_t, int16_t*);
template void FromValues(const uint8_t*, size_t, int8_t*);
template void FromValues(const int16_t*, size_t, int8_t*);
template void FromValues(const uint8_t*, size_t, int32_t*);
template void FromValues(const int16_t*, size_t, int32_t*);
template void MaxPoolValues(const LayerShape&, const uint8_t*, size_t, uint8_t*);
template void MaxPoolValues(const LayerShape&, const int16_t*, size_t, int16_t*);
template void AveragePoolValues(const IntegerLayer&, int32_t, const uint8_t*, size_t, uint8_t*);
template void AveragePoolValues(const IntegerLayer&, int32_t, const int16_t*, size_t, int16_t*);

}  // namespace lockstep
