// One network through all of the lab's steps: from fp32 weights and a data set to its record.
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_NETWORK_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_NETWORK_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/network.h"
#include "lib/int8/replay.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Test images whose int8 logits are kept in a record, to be run again by whoever reads it.
inline constexpr uint32_t kReplayImages = 64;

// Which test images a record keeps: kReplayImages of the seed's order, all if they are fewer.
std::vector<uint32_t> ReplayIndices(const ImageSet& test, const proto::QuantizeSpec& spec);

// Fills mean, std and normalization_source. `normalization` must be complete.
void RecordNormalization(const proto::Normalization& normalization, proto::QuantizedNetwork& record);

// InvalidArgument: more calibration images than there are, or none. FailedPrecondition: no test images.
absl::Status CheckSpec(const proto::QuantizeSpec& spec, const Dataset& dataset);

// Returns FailedPreconditionError if there are no test images: all that a network needs that is quantized already.
absl::Status CheckTestImages(const Dataset& dataset);

// Quantizes, calibrates on spec.calibration_images() images of dataset.train, measures every accuracy on all of
// dataset.test, and keeps replay samples (all test images, if they are fewer). `normalization`, which must be complete, is
// the one that the network was trained with. Accuracies:
//   FP32_NETWORK                   LibTorch
//   INT8_WEIGHTS                   LibTorch, with each weight replaced by int8 / scale
//   INT8_WEIGHTS_ACTIVATIONS       integers; biases, if any, not rounded, but of a layer that writes sums
//   INT8_WEIGHTS_ACTIVATIONS_BIAS  integers throughout; absent for a network without biases
//   INT8_WEIGHTS_UNSCALED_BIAS     LibTorch, with each weight replaced by int8; only of a network with biases,
//                                  without additions, and with one weight scale a layer
//   INT8_FINE_TUNED                integers throughout; only with spec.fine_tune_epochs(), and then the record's layers,
//                                  samples and study are of this network, the steps before it of the one that it came from
// checkpoint_sha256 is left for the caller. InvalidArgument: more calibration images than there are.
// FailedPrecondition: a value that int8 or int32 cannot represent. Cancelled: a stop was asked for.
// InvalidArgument, too: fine-tuning diverged. `make`: by what the int8 network is run; it changes no bit. `device`: where
// LibTorch computes.
absl::StatusOr<proto::QuantizedNetwork> QuantizeNetwork(const FloatNetwork& network, const Dataset& dataset,
                                                        const proto::Normalization& normalization,
                                                        const proto::QuantizeSpec& spec,
                                                        const MakeIntegerRunner& make = MakePlainRunner,
                                                        c10::Device device = c10::Device(c10::kCPU));

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_NETWORK_H_
