// What must hold of an integer network before anything runs it.
#ifndef LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_
#define LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_

#include "absl/status/status.h"
#include "lib/int8/integer_reference.h"

namespace lockstep {

// OK when shapes are as CheckShapes wants them, no tensor has more than 2^30 values (offsets have 32 bits), weights, biases
// and multipliers are as many as the shapes say, no weight is -128, no sum can overflow int32, and only a last, weighted
// layer without ReLU, max-pooling and float bias writes sums. FailedPrecondition names the layer.
absl::Status CheckIntegerNetwork(const IntegerNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_
