// The quantize stage: dataset.rec and checkpoints in, quantized.rec out (lib/proto/quantized.proto).
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

struct QuantizeOptions {
  std::string input;                     // dataset.rec, "-": standard input
  std::vector<std::string> checkpoints;  // of lenet5 or lenet5_bias, each one network of the record, in this order
  std::string output = "quantized.rec";  // "-": standard output
  proto::WeightRange weight_range = proto::MAX_ABS;
  uint32_t calibration_images = 400;  // of the training split; as many as the lab's profiling run
  std::string device = "auto";        // auto, cpu: the CPU, the only one there is today
  uint64_t seed = 0;                  // chooses the calibration images and the replay samples
  bool force = false;                 // make it again even when the output holds it already
  bool dry_run = false;               // say what would be done, and about how long it takes
};

// "max_abs" or "three_sigma". InvalidArgument: another word.
absl::StatusOr<proto::WeightRange> ParseWeightRange(const std::string& word);

// Writes options.output, network by network, and each network's accuracies on stderr. Errors beside those of the
// readers and of QuantizeNetwork: InvalidArgument, an option is missing or no device; Unavailable, the device is CUDA.
absl::Status RunQuantize(const QuantizeOptions& options);

// Runs the replay samples of every network of a quantized.rec. Aborted: one gives other logits than recorded.
absl::Status VerifyQuantized(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_H_
