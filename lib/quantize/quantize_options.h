// What a run of the quantize stage is asked for.
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_OPTIONS_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_OPTIONS_H_
