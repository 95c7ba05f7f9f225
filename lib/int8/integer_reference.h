// A network in int8 by plain loops: the definition that every kernel must equal, bit for bit.
//
// A real number is (value - zero point) / scale. Per layer: products of int8 weights and int8 inputs less their zero
// point, summed in int32 with the bias; requantized by a float32 multiplier (requantize.h); ReLU, which is the larger of
// the value and the zero point; max-pooling. No sum can overflow: the bound of quant_params.h is checked when the network
// is made (quantized_record.h).
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
  std::vector<int32_t> bias;   // (out), in the accumulator's scale; empty: none
  // The same bias not rounded to integers, float32 (out); empty: none. Added to the accumulator after the sum, as
  // float32(accumulator) + float_bias. For the lab's step in which all but the bias is int8; never together with
  // `bias`, and only where the result is int8.
  std::vector<float> float_bias;
  // One for each output channel of a weighted layer; one in all of a pool. Empty: the layer writes its int32 sums as they
  // are, which only a last, weighted layer without ReLU and max-pooling may.
  std::vector<float> multiplier;
  AddFactors add;          // of an addition
  int32_t zero_point = 0;  // of what it writes, in [-128, 127]

  bool WritesSums() const { return shape.HasWeights() && multiplier.empty(); }
};

struct IntegerNetwork {
  std::string name;
  int32_t input_zero_point = 0;
  std::vector<IntegerLayer> layers;

  std::vector<LayerShape> Shapes() const;
  // `tensor`: as LayerShape::inputs counts them.
  int32_t ZeroPoint(uint32_t tensor) const { return tensor == 0 ? input_zero_point : layers[tensor - 1].zero_point; }
  // True when the logits are the last layer's int32 sums, false when they are int8.
  bool HasSumLogits() const { return layers.back().WritesSums(); }
};

// What one layer did over all images that were run with it.
struct IntegerTrace {
  int64_t accumulator_max_abs = 0;  // bias included, unless it is a float_bias; 0 of an addition
  uint64_t saturated = 0;           // outputs that clamping changed; those below -128 count only without ReLU
  uint64_t outputs = 0;
  uint64_t fixed_point_different = 0;  // outputs, before ReLU, that RequantizeFixedPoint makes other values; none of an
                                       // addition, or with a float_bias
};

// Called after each layer but one that writes sums: its index, and what it wrote, int8, shape.Pooled().
using IntegerObserver = std::function<void(size_t layer, const std::vector<int8_t>& values)>;

// The same of what runs many images: called with one or more at a time, in their order; int8 (images, height, width,
// channels), `size` values in all.
using IntegerBatchObserver = std::function<void(size_t layer, const int8_t* values, size_t size)>;

// `image`: int8 (height, width, channels), as the first layer reads it. Returns the last layer's output, int8 values or
// int32 sums. `trace`, when not null, has one entry per layer, to which this image is added.
std::vector<int32_t> RunInteger(const IntegerNetwork& network, const int8_t* image,
                                std::vector<IntegerTrace>* trace = nullptr, const IntegerObserver& observe = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_INTEGER_REFERENCE_H_
