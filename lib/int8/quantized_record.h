// A network in int8 as its record tells it (lib/proto/quantized.proto), made runnable.
//
// Accuracies are measured on the network that is read back from the record, so that a record cannot tell of another
// one.
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

// Fills a layer's name, kind and shape, and the tensors that it reads: what ToIntegerNetwork reads them from.
void DescribeShape(const LayerShape& shape, proto::QuantizedLayer& layer);

// The integer network that a record holds. DataLoss names the layer when the record contradicts itself: shapes that do
// not follow one another, a wrong number of weights or biases, a weight of -128, a multiplier or an input scale that is
// no positive number, sums that could overflow int32.
absl::StatusOr<IntegerNetwork> ToIntegerNetwork(const proto::QuantizedNetwork& record);

// What a weight of this output channel was multiplied by to become int8: the channel's own scale, or the layer's.
double WeightScaleOf(const proto::QuantizedLayer& layer, size_t channel);

// The same network with the biases of the fp32 one in place of the int32 ones: bias * accumulator_scale, not rounded. A
// layer that writes sums keeps its own, because sums are integers.
IntegerNetwork WithFloatBias(IntegerNetwork network, const FloatNetwork& source, const proto::QuantizedNetwork& record);

// What each byte of an image becomes in each channel: int8.
using ImageTable = std::array<std::array<int8_t, 256>, kImageChannels>;

// The table of the record's input: normalised, divided by the step (version 1: multiplied by the scale), rounded half to
// even, and the zero point added. DataLoss as NormalizationOf.
absl::StatusOr<ImageTable> ImageTableOf(const proto::QuantizedNetwork& record);

// The bytes of an image as the network reads them. `pixels`: uint8 (3, 32, 32). `image`: int8 (32, 32, 3), written.
void QuantizeImage(const uint8_t* pixels, const ImageTable& table, int8_t* image);

// The normalisation of the record's input. DataLoss when it has not three channels or a std is not positive.
absl::StatusOr<NormalizationTable> NormalizationOf(const proto::QuantizedNetwork& record);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANTIZED_RECORD_H_
