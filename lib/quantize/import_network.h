// Measurement of a network that was quantized elsewhere, as for our own networks.
#ifndef LOCKSTEP_LIB_QUANTIZE_IMPORT_NETWORK_H_
#define LOCKSTEP_LIB_QUANTIZE_IMPORT_NETWORK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/replay.h"
#include "lib/proto/quantized.pb.h"
#include "lib/quantize/run_parts.h"

namespace lockstep {

// Measures the accuracy in integers on all of dataset.test, and keeps replay samples. Results that require an fp32
// network are absent, with the reason. `network` must be a result of ImportOnnx, with mean and std. Returns
// FailedPreconditionError if it does not read images of 3 x 32 x 32, or does not give one logit for each of the data
// set's classes, and CancelledError if a stop was requested.
absl::StatusOr<proto::QuantizedNetwork> MeasureImported(proto::QuantizedNetwork network, const Dataset& dataset,
                                                        const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                                                        RunParts& parts);

// Adds the part of MeasureImported to `parts`.
void ExpectParts(const proto::QuantizedNetwork& network, uint64_t test_images, RunParts& parts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_IMPORT_NETWORK_H_
