// A network in int8 as its record tells it (lib/proto/quantized.proto): made runnable, and checked by its replay
// samples.
//
// Accuracies are measured on the network that is read back from the record, so that a record cannot tell of another
// one.
#ifndef LOCKSTEP_LIB_INT8_QUANTIZED_RECORD_H_
#define LOCKSTEP_LIB_INT8_QUANTIZED_RECORD_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/augment.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// The integer network that a record holds. DataLoss names the layer when the record contradicts itself: shapes that do
// not follow one another, a wrong number of weights or biases, a weight of -128, a multiplier or an input scale that is
// no positive number, sums that could overflow int32.
absl::StatusOr<IntegerNetwork> ToIntegerNetwork(const proto::QuantizedNetwork& record);

// The same network with the biases of the fp32 one in place of the int32 ones: bias * accumulator_scale, not rounded.
IntegerNetwork WithFloatBias(IntegerNetwork network, const FloatNetwork& source, const proto::QuantizedNetwork& record);

// The normalisation of the record's input. DataLoss when it has not three channels or a std is not positive.
absl::StatusOr<NormalizationTable> NormalizationOf(const proto::QuantizedNetwork& record);

// Adds one test image with the int8 logits that `network` gives for it. `pixels`: uint8 (3, 32, 32).
absl::Status AddReplaySample(const IntegerNetwork& network, uint32_t test_index, const uint8_t* pixels,
                             proto::QuantizedNetwork& record);

// Runs every replay sample from the record alone. Aborted names the first image and logit that differ, and how many
// images do. FailedPrecondition: the record has no samples. DataLoss: as ToIntegerNetwork, or a sample of a wrong size.
absl::Status Replay(const proto::QuantizedNetwork& record);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANTIZED_RECORD_H_
