// Conversion of an int8 network's record (lib/proto/quantized.proto) to a network that can run.
//
// Accuracies are measured on the network that is read back from the record, so that they are those of the recorded
// network.
#ifndef LOCKSTEP_LIB_INT8_QUANTIZED_RECORD_H_
#define LOCKSTEP_LIB_INT8_QUANTIZED_RECORD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Fills the fields that ToIntegerNetwork reads: a layer's name, kind and shape, and the tensors that it reads.
void DescribeShape(const LayerShape& shape, proto::QuantizedLayer& layer);

// Returns the integer network of a record. Returns DataLossError with the name of the layer if the record contradicts
// itself:
// - Shapes do not follow one another.
// - The number of weights or biases is wrong.
// - A weight is -128.
// - A multiplier or an input scale is not a positive number.
// - A sum could overflow int32.
absl::StatusOr<IntegerNetwork> ToIntegerNetwork(const proto::QuantizedNetwork& record);

// Returns the factor that converted weights of this output channel to int8: the channel's own scale, or the layer's.
double WeightScaleOf(const proto::QuantizedLayer& layer, size_t channel);

// Returns the same network with float biases instead of int32 biases: the bias of `source` times accumulator_scale, not
// rounded. A layer that writes sums keeps its int32 bias, because sums are integers.
IntegerNetwork WithFloatBias(IntegerNetwork network, const FloatNetwork& source, const proto::QuantizedNetwork& record);

// Int8 value for each byte of an image, per channel.
using ImageTable = std::array<std::array<int8_t, 256>, kImageChannels>;

// Returns the table for the record's input: each byte normalised, divided by the step (record version 1: multiplied by
// the scale), rounded half to even, and shifted by the zero point. Errors as NormalizationOf.
absl::StatusOr<ImageTable> ImageTableOf(const proto::QuantizedNetwork& record);

// Converts an image to the network's input. `pixels`: uint8 (3, 32, 32). `image`: output, int8 (32, 32, 3).
void QuantizeImage(const uint8_t* pixels, const ImageTable& table, int8_t* image);

// Returns the normalisation of the record's input. Returns DataLossError if it does not have three channels or if a std
// is not positive.
absl::StatusOr<NormalizationTable> NormalizationOf(const proto::QuantizedNetwork& record);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANTIZED_RECORD_H_
