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
  std::vector<std::string> checkpoints;  // of lenet5, lenet5_bias or resnet18, each one network, in this order
  std::vector<std::string> imports;      // ONNX files of networks quantized elsewhere, after the checkpoints
  std::string output = "quantized.rec";  // "-": standard output
  std::vector<std::string> onnx;         // the ONNX files to write, one for each network; none: none
  proto::QuantizeSpec spec = DefaultQuantizeSpec();  // model and test_images are filled by the run
  std::string device = "auto";  // auto, cpu or cuda: of LibTorch, and of the int8 network unless isa says it
  // Instructions of the int8 network: auto, plain, or as ParseIsa or ParseGpuIsa has them; they change no bit.
  std::string isa = "auto";
  uint32_t threads = 0;  // of the int8 network on the CPU; 0: as many as there are processors
  bool force = false;    // make it again even when the output holds it already
  bool dry_run = false;  // say what would be done, and about how long it takes

  // As the lab has it, but for its slips: one symmetric scale a tensor, the largest magnitude of 400 calibration images,
  // as many as its profiling run, and int32 logits. No fine-tuning.
  static proto::QuantizeSpec DefaultQuantizeSpec();
};

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
