// A network in int8 by plain loops: the definition that every kernel must match bit for bit.
//
// A real number is (value - zero point) / scale. Steps of a layer:
// 1. Sum the products of int8 weights and int8 inputs (less their zero point) in int32, with the bias.
// 2. Requantize by a float32 multiplier (requantize.h).
// 3. ReLU: the larger of the value and the zero point.
// 4. Max-pooling.
// No sum can overflow: the bound of quant_params.h is checked when the network is made (quantized_record.h).
#ifndef LOCKSTEP_LIB_INT8_INTEGER_REFERENCE_H_
#define LOCKSTEP_LIB_INT8_INTEGER_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/int8/network.h"
#include "lib/int8/requantize.h"

namespace lockstep {

struct IntegerLayer {
  LayerShape shape;
  std::vector<int8_t> weight;  // (out, in, kernel, kernel), in [-127, 127]
  std::vector<int32_t> bias;   // (out), in the accumulator's scale; empty: no int32 bias
  // The same bias without rounding to integers, float32 (out); empty: no float bias. Added after the sum, as
  // float32(accumulator) + float_bias. For the lab's step in which everything but the bias is int8. Must not be
  // combined with `bias`, and requires an int8 result.
  std::vector<float> float_bias;
  // One multiplier per output channel of a weighted layer; a single one for a pool. Empty: the layer writes its int32
  // sums unchanged, which only a last, weighted layer without ReLU and max-pooling may do.
  std::vector<float> multiplier;
  AddFactors add;          // factors of an addition
  int32_t zero_point = 0;  // zero point of the output, in [-128, 127]

  bool WritesSums() const { return shape.HasWeights() && multiplier.empty(); }
};

struct IntegerNetwork {
  std::string name;
  int32_t input_zero_point = 0;
  std::vector<IntegerLayer> layers;

  std::vector<LayerShape> Shapes() const;
  // Returns the zero point of a tensor, numbered like LayerShape::inputs.
  int32_t ZeroPoint(uint32_t tensor) const { return tensor == 0 ? input_zero_point : layers[tensor - 1].zero_point; }
  // Returns true if the logits are the last layer's int32 sums, false if they are int8.
  bool HasSumLogits() const { return layers.back().WritesSums(); }
};

// Counters of one layer over all images on which it ran.
struct IntegerTrace {
  int64_t accumulator_max_abs = 0;  // bias included, unless it is a float_bias; 0 for an addition
  uint64_t saturated = 0;           // outputs that clamping changed; values below -128 count only without ReLU
  uint64_t outputs = 0;
  uint64_t fixed_point_different = 0;  // outputs, before ReLU, for which RequantizeFixedPoint gives another value; 0
                                       // for an addition or with a float_bias
};

// Callback after each layer, except one that writes sums: the layer's index and its output, int8, shape.Pooled().
using IntegerObserver = std::function<void(size_t layer, const std::vector<int8_t>& values)>;

// Callback like IntegerObserver for runners of many images: called with one or more images at a time, in order; int8
// (images, height, width, channels), `size` values in all.
using IntegerBatchObserver = std::function<void(size_t layer, const int8_t* values, size_t size)>;

// Runs the network on one image and returns the last layer's output, int8 values or int32 sums. `image`: int8 (height,
// width, channels), the first layer's input. `trace`, if not null, must have one entry per layer; this image is added
// to it.
std::vector<int32_t> RunInteger(const IntegerNetwork& network, const int8_t* image,
                                std::vector<IntegerTrace>* trace = nullptr, const IntegerObserver& observe = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_INTEGER_REFERENCE_H_
