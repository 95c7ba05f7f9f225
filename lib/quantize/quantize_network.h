// All of the lab's steps for one network: from fp32 weights and a data set to its record.
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_NETWORK_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_NETWORK_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/network.h"
#include "lib/int8/replay.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/quantized.pb.h"
#include "lib/quantize/run_parts.h"

namespace lockstep {

// Number of test images whose int8 logits are kept in a record, so that readers can run them again.
inline constexpr uint32_t kReplayImages = 64;

// Returns the indices of the test images that a record keeps: the first kReplayImages in the seed's order, or all if
// there are fewer.
std::vector<uint32_t> ReplayIndices(const ImageSet& test, const proto::QuantizeSpec& spec);

// Fills mean, std and normalization_source. `normalization` must be complete.
void RecordNormalization(const proto::Normalization& normalization, proto::QuantizedNetwork& record);

// Checks the spec against the data set. InvalidArgument: no calibration images, more images for calibration and study
// than training images, or a fine-tuning batch of 0. FailedPrecondition: no test images.
absl::Status CheckSpec(const proto::QuantizeSpec& spec, const Dataset& dataset);

// Returns FailedPreconditionError if there are no test images. A network that is already quantized needs no other
// check.
absl::Status CheckTestImages(const Dataset& dataset);

// Images on which the plain loops are traced, because only these loops see every sum. They take ten seconds for any
// number of calibration images, so that a dry run must know their time.
struct Tracing {
  size_t max_images = std::numeric_limits<size_t>::max();  // limit, in addition to TracedImages
  double seconds = 0;                                      // time that the traced images took
};

// Returns the number of images that QuantizeNetwork traces without another limit: calibration images, as many as take
// about ten seconds, and at least one.
size_t TracedImages(const FloatNetwork& network, size_t calibration_images);

// Quantizes, calibrates on spec.calibration_images() images of dataset.train, measures every accuracy on all of
// dataset.test, and keeps replay samples (all test images, if there are fewer). `normalization` must be complete, and
// must be the one of the network's training. Accuracies:
//   FP32_NETWORK                   LibTorch
//   INT8_WEIGHTS                   LibTorch, with each weight replaced by int8 / scale
//   INT8_WEIGHTS_ACTIVATIONS       integers; biases, if any, are not rounded, except in a layer that writes sums
//   INT8_WEIGHTS_ACTIVATIONS_BIAS  integers throughout; absent for a network without biases
//   INT8_WEIGHTS_UNSCALED_BIAS     LibTorch, with each weight replaced by int8; only for a network with biases,
//                                  without additions, and with one weight scale per layer
//   INT8_FINE_TUNED                integers throughout; only with spec.fine_tune_epochs(). The record's layers, samples
//                                  and study are then of the fine-tuned network, the other accuracies of the network
//                                  before
// checkpoint_sha256 is left for the caller. `make`: runner of the int8 network; it changes no bit. `device`: device of
// LibTorch's computations. InvalidArgument: more calibration images than training images, or fine-tuning diverged.
// FailedPrecondition: a value that int8 or int32 cannot represent. Cancelled: a stop was requested.
// `parts`: the parts of the run, of which some may be this network's (ExpectParts).
absl::StatusOr<proto::QuantizedNetwork> QuantizeNetwork(const FloatNetwork& network, const Dataset& dataset,
                                                        const proto::Normalization& normalization,
                                                        const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                                                        c10::Device device, RunParts& parts, Tracing& tracing);
inline absl::StatusOr<proto::QuantizedNetwork> QuantizeNetwork(const FloatNetwork& network, const Dataset& dataset,
                                                               const proto::Normalization& normalization,
                                                               const proto::QuantizeSpec& spec,
                                                               const MakeIntegerRunner& make, c10::Device device,
                                                               RunParts& parts) {
  Tracing tracing;
  return QuantizeNetwork(network, dataset, normalization, spec, make, device, parts, tracing);
}
inline absl::StatusOr<proto::QuantizedNetwork> QuantizeNetwork(const FloatNetwork& network, const Dataset& dataset,
                                                               const proto::Normalization& normalization,
                                                               const proto::QuantizeSpec& spec,
                                                               const MakeIntegerRunner& make = MakePlainRunner,
                                                               c10::Device device = c10::Device(c10::kCPU)) {
  RunParts parts;
  return QuantizeNetwork(network, dataset, normalization, spec, make, device, parts);
}

// Adds the parts of QuantizeNetwork with spec.test_images() test images to `parts`.
void ExpectParts(const FloatNetwork& network, const proto::QuantizeSpec& spec, uint64_t train_images, RunParts& parts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_NETWORK_H_
