// Whether an integer network is whole, which those who pack its weights ask first.
#ifndef LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_
#define LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_

#include "absl/status/status.h"
#include "lib/int8/integer_reference.h"

namespace lockstep {

// FailedPrecondition names the layer: shapes that do not follow one another (CheckShapes), a number of weights, biases or
// multipliers that is not the shape's, sums where the layer may not write them, a tensor of more than 2^30 values. That
// sums cannot overflow is not looked at (quantized_record.h).
absl::Status CheckIntegerNetwork(const IntegerNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_INTEGER_NETWORK_CHECK_H_
