// Each layer as plain loops, once for fp32 and for int8: the definition that every faster path must equal.
//
// The innermost loop runs along a row, so that a compiler can vectorise it; nothing else is done for speed.
#ifndef LOCKSTEP_LIB_INT8_PLAIN_LAYERS_H_
#define LOCKSTEP_LIB_INT8_PLAIN_LAYERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/int8/network.h"

namespace lockstep {

// Cross-correlation with stride 1 and without padding:
//     output[o, y, x] = bias[o] + sum over c, i, j of weight[o, c, i, j] * input[c, y + i, x + j]
// input: Value (in, height, width); weight: Value (out, in, kernel, kernel); bias: Sum (out), or null;
// output: Sum (out, height - kernel + 1, width - kernel + 1). Sum holds every partial sum exactly when it is an
// integer.
template <typename Value, typename Sum>
void Conv2d(const LayerShape& shape, const Value* input, const Value* weight, const Sum* bias, Sum* output) {
  const size_t height = shape.OutHeight(), width = shape.OutWidth();
  for (size_t o = 0; o < shape.out_channels; ++o, output += height * width) {
    std::fill_n(output, height * width, bias == nullptr ? Sum{0} : bias[o]);
    for (size_t c = 0; c < shape.in_channels; ++c) {
      const Value* plane = input + c * shape.in_height * shape.in_width;
      for (size_t i = 0; i < shape.kernel; ++i) {
        for (size_t j = 0; j < shape.kernel; ++j) {
          const Sum w = *weight++;
          for (size_t y = 0; y < height; ++y) {
            const Value* in_row = plane + (y + i) * shape.in_width + j;
            Sum* out_row = output + y * width;
            for (size_t x = 0; x < width; ++x) {
              out_row[x] += w * in_row[x];
            }
          }
        }
      }
    }
  }
}

// output[o] = bias[o] + sum over k of weight[o, k] * input[k].
// input: Value (in); weight: Value (out, in); bias: Sum (out), or null; output: Sum (out).
template <typename Value, typename Sum>
void Linear(const LayerShape& shape, const Value* input, const Value* weight, const Sum* bias, Sum* output) {
  for (size_t o = 0; o < shape.out_channels; ++o, weight += shape.in_channels) {
    Sum sum = bias == nullptr ? Sum{0} : bias[o];
    for (size_t k = 0; k < shape.in_channels; ++k) {
      sum += static_cast<Sum>(weight[k]) * input[k];
    }
    output[o] = sum;
  }
}

// The weighted part of a layer, whichever kind it is.
template <typename Value, typename Sum>
void WeightedSum(const LayerShape& shape, const Value* input, const Value* weight, const Sum* bias, Sum* output) {
  if (shape.kind == LayerKind::kConv2d) {
    Conv2d(shape, input, weight, bias, output);
  } else {
    Linear(shape, input, weight, bias, output);
  }
}

// max(0, x), in place.
template <typename Value>
void Relu(Value* values, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    values[i] = std::max(values[i], Value{0});
  }
}

// The largest value of each window of shape.pool x shape.pool, stride shape.pool; a last row or column that does not
// fill a window is left out. input: Value (out, OutHeight, OutWidth); output: Value (out, PooledHeight, PooledWidth).
template <typename Value>
void MaxPool(const LayerShape& shape, const Value* input, Value* output) {
  for (size_t o = 0; o < shape.out_channels; ++o, input += size_t{shape.OutHeight()} * shape.OutWidth()) {
    for (size_t y = 0; y < shape.PooledHeight(); ++y) {
      for (size_t x = 0; x < shape.PooledWidth(); ++x) {
        const Value* window = input + (y * shape.OutWidth() + x) * shape.pool;
        Value largest = *window;
        for (size_t i = 0; i < shape.pool; ++i) {
          for (size_t j = 0; j < shape.pool; ++j) {
            largest = std::max(largest, window[i * shape.OutWidth() + j]);
          }
        }
        *output++ = largest;
      }
    }
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_PLAIN_LAYERS_H_
