// The quantize stage: dataset.rec and checkpoints in, quantized.rec out (lib/proto/quantized.proto).
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_

#include <string>

#include "absl/status/status.h"
#include "lib/quantize/quantize_options.h"

namespace lockstep {

// Writes options.output, network by network, and each network's accuracies on stderr. Errors beside those of the
// readers and of QuantizeNetwork: InvalidArgument, an option is missing; those of ResolveDevice (lib/device/device.h) and
// of MakeCudaRunner.
absl::Status RunQuantize(const QuantizeOptions& options);

// Runs the replay samples of every network of the quantized.rec `path`, with options.isa and options.threads. With
// options.input, which must be the data set that the record was made with, also all test images: prints a digest of each
// layer's tensor and one of the logits on standard output, the same lines whatever computes. Aborted: a network gives
// other logits than recorded. InvalidArgument: another data set.
absl::Status VerifyQuantized(const std::string& path, const QuantizeOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_
