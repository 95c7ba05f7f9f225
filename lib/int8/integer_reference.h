// A network in int8 by plain loops: the definition that every kernel must equal, bit for bit.
//
// Per layer: int8 x int8 products summed in int32 with the bias, requantized by a float32 multiplier (requantize.h),
// ReLU, max-pooling. No sum can overflow: 128 * sum|weight| + |bias| < 2^31 is checked when the network is made
// (quantized_record.h); lenet5's longest sum has 400 terms, at most 400 * 127 * 128 = 6.5e6 without bias.
#ifndef LOCKSTEP_LIB_INT8_INTEGER_REFERENCE_H_
#define LOCKSTEP_LIB_INT8_INTEGER_REFERENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/dataset/augment.h"
#include "lib/int8/network.h"

namespace lockstep {

struct IntegerLayer {
  LayerShape shape;
  std::vector<int8_t> weight;  // (out, in, kernel, kernel) or (out, in), in [-127, 127]
  std::vector<int32_t> bias;   // (out), in the accumulator's scale; empty: none
  // The same bias not rounded to integers, float32 (out); empty: none. Added to the accumulator after the sum, as
  // float32(accumulator) + float_bias. For the lab's step in which all but the bias is int8; never together with
  // `bias`.
  std::vector<float> float_bias;
  float multiplier = 1;
};

struct IntegerNetwork {
  std::string name;
  std::vector<IntegerLayer> layers;
};

// What one layer did over all images that were run with it.
struct IntegerTrace {
  int64_t accumulator_max_abs = 0;  // bias included, unless it is a float_bias
  uint64_t saturated = 0;           // outputs that clamping changed; those below -128 count only without ReLU
  uint64_t outputs = 0;
};

// `image`: int8, as many values as the first layer reads. Returns the last layer's int8 output. `trace`, when not null,
// has one entry per layer, to which this image is added.
std::vector<int8_t> RunInteger(const IntegerNetwork& network, const int8_t* image,
                               std::vector<IntegerTrace>* trace = nullptr);

// The bytes of an image as int8: round_half_even(normalised * float32(scale)), clamped to [-128, 127].
// `pixels`: uint8 (3, 32, 32). Returns int8 (3, 32, 32).
std::vector<int8_t> QuantizeImage(const uint8_t* pixels, const NormalizationTable& normalization, double scale);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_INTEGER_REFERENCE_H_
