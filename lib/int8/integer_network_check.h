// Validity check of an integer network, to be made before the network runs.
#ifndef LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_
#define LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_

#include "absl/status/status.h"
#include "lib/int8/integer_reference.h"

namespace lockstep {

// Returns FailedPreconditionError with the name of the layer unless all of these hold:
// - The shapes pass CheckShapes.
// - No tensor has more than 2^30 values (offsets have 32 bits).
// - The numbers of weights, biases and multipliers follow from the shapes.
// - No weight is -128.
// - No sum can overflow int32.
// - Only the last layer writes sums, and only if it is weighted and without ReLU, max-pooling and float bias.
absl::Status CheckIntegerNetwork(const IntegerNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_
