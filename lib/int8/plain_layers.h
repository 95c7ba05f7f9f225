// Each kind of layer as plain loops, one template for fp32 and int8: the definition that every faster path must match.
//
// Values are (height, width, channels), weights (out, in, kernel, kernel). Nothing is optimised for speed.
#ifndef LOCKSTEP_LIB_INT8_PLAIN_LAYERS_H_
#define LOCKSTEP_LIB_INT8_PLAIN_LAYERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/int8/network.h"

namespace lockstep {

// Computes a cross-correlation; the padding holds the number 0, represented by `zero`:
//     output[y, x, o] = bias[o] + sum over c, i, j of
//         weight[o, c, i, j] * (input[y * s - p + i, x * s - p + j, c] - zero)
// input: Value (in_height, in_width, in); weight: Value (out, in, kernel, kernel); bias: Sum (out), or null;
// output: Sum, shape.Out(). The bias is added first, then the terms in this order. If Sum is an integer, it must be
// able to hold every partial sum.
template <typename Value, typename Sum>
void WeightedSum(const LayerShape& shape, const Value* input, Sum zero, const Value* weight, const Sum* bias,
                 Sum* output) {
  const Extent out = shape.Out();
  const size_t area = size_t{shape.kernel} * shape.kernel;
  for (int64_t y = 0; y < out.height; ++y) {
    const int64_t top = y * shape.stride - shape.padding;
    const Taps rows = RealTaps(shape, static_cast<uint32_t>(y), shape.in_height);
    for (int64_t x = 0; x < out.width; ++x) {
      const int64_t left = x * shape.stride - shape.padding;
      const Taps columns = RealTaps(shape, static_cast<uint32_t>(x), shape.in_width);
      for (size_t o = 0; o < shape.out_channels; ++o) {
        Sum sum = bias == nullptr ? Sum{0} : bias[o];
        for (size_t c = 0; c < shape.in_channels; ++c) {
          const Value* kernel = weight + (o * shape.in_channels + c) * area;
          for (int64_t i = rows.first; i < rows.last; ++i) {
            const Value* row = input + (top + i) * shape.in_width * shape.in_channels + c;
            for (int64_t j = columns.first; j < columns.last; ++j) {
              const Sum value = static_cast<Sum>(row[(left + j) * shape.in_channels]) - zero;
              sum += static_cast<Sum>(kernel[i * shape.kernel + j]) * value;
            }
          }
        }
        *output++ = sum;
      }
    }
  }
}

// Sums each channel over all pixels. input: Value, shape.In(); output: Sum (channels).
template <typename Value, typename Sum>
void SumPixels(const LayerShape& shape, const Value* input, Sum zero, Sum* output) {
  std::fill_n(output, shape.in_channels, Sum{0});
  for (size_t i = 0; i < shape.In().Size(); ++i) {
    output[i % shape.in_channels] += static_cast<Sum>(input[i]) - zero;
  }
}

// Replaces each value by max(zero, value).
template <typename Value>
void Relu(Value* values, size_t size, Value zero = 0) {
  for (size_t i = 0; i < size; ++i) {
    values[i] = std::max(values[i], zero);
  }
}

// Writes the largest value of each window of shape.pool x shape.pool, stride shape.pool; a last row or column that does
// not fill a window is left out. input: Value, shape.Out(); output: Value, shape.Pooled().
template <typename Value>
void MaxPool(const LayerShape& shape, const Value* input, Value* output) {
  const Extent out = shape.Out(), pooled = shape.Pooled();
  for (size_t y = 0; y < pooled.height; ++y) {
    for (size_t x = 0; x < pooled.width; ++x) {
      for (size_t o = 0; o < out.channels; ++o) {
        const auto at = [&](size_t i, size_t j) {
          return input[((y * shape.pool + i) * out.width + x * shape.pool + j) * out.channels + o];
        };
        Value largest = at(0, 0);
        for (size_t i = 0; i < shape.pool; ++i) {
          for (size_t j = 0; j < shape.pool; ++j) {
            largest = std::max(largest, at(i, j));
          }
        }
        *output++ = largest;
      }
    }
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_PLAIN_LAYERS_H_
