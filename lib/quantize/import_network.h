// A network that was quantized elsewhere, measured as ours are.
#ifndef LOCKSTEP_LIB_QUANTIZE_IMPORT_NETWORK_H_
#define LOCKSTEP_LIB_QUANTIZE_IMPORT_NETWORK_H_

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/replay.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Measures the accuracy in integers on all of dataset.test, and keeps replay samples. What only the fp32 network can tell
// is absent, with the reason. `network` must be as ImportOnnx returns it, with mean and std. Returns FailedPreconditionError
// if it does not read images of 3 x 32 x 32, or does not give one logit for each of the data set's classes, and
// CancelledError if a stop was asked for.
absl::StatusOr<proto::QuantizedNetwork> MeasureImported(proto::QuantizedNetwork network, const Dataset& dataset,
                                                        const proto::QuantizeSpec& spec, const MakeIntegerRunner& make);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_IMPORT_NETWORK_H_
