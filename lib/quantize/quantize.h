// The quantize stage: reads dataset.rec and checkpoints, writes quantized.rec (lib/proto/quantized.proto).
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_

#include <string>

#include "absl/status/status.h"
#include "lib/quantize/quantize_options.h"

namespace lockstep {

// Writes options.output, network by network, and each network's accuracies on stderr. Returns InvalidArgumentError if
// an option is missing; other errors are those of the readers, QuantizeNetwork, ResolveDevice (lib/device/device.h) and
// MakeCudaRunner.
absl::Status RunQuantize(const QuantizeOptions& options);

// Runs the replay samples of every network of the quantized.rec `path`, with options.isa and options.threads. With
// options.input, which must be the data set that the record was made with, also runs all test images and prints a
// digest of each layer's tensor and one of the logits on standard output; these lines are the same for every isa and
// device. Aborted: a network gives other logits than recorded. InvalidArgument: another data set.
absl::Status VerifyQuantized(const std::string& path, const QuantizeOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_
