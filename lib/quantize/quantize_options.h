// Options of a run of the quantize stage.
#ifndef LOCKSTEP_LIB_QUANTIZE_QUANTIZE_OPTIONS_H_
#define LOCKSTEP_LIB_QUANTIZE_QUANTIZE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/proto/quantized.pb.h"

namespace lockstep {

struct QuantizeOptions {
  std::string input;                     // dataset.rec; "-": standard input
  std::vector<std::string> checkpoints;  // checkpoints of lenet5, lenet5_bias or resnet18, one network each, in this
                                         // order
  std::vector<std::string> imports;      // ONNX files of networks quantized elsewhere, after the checkpoints
  std::string output = "quantized.rec";  // "-": standard output
  std::vector<std::string> onnx;         // ONNX files to write, one for each network; may be empty
  proto::QuantizeSpec spec = DefaultQuantizeSpec();  // model and test_images are filled by the run
  bool default_calibration = false;  // true: if the training split is smaller, fewer calibration images are used
  std::string device = "auto";       // auto, cpu or cuda; for LibTorch, and for the int8 network unless `isa` decides
  // Instructions of the int8 network: auto, plain, or a name that ParseIsa or ParseGpuIsa accepts; they change no bit.
  std::string isa = "auto";
  uint32_t threads = 0;  // threads of the int8 network on the CPU; 0: one per processor
  bool force = false;    // redo the work even if the output holds it already
  bool dry_run = false;  // print the plan and an estimate of its time

  // Returns the lab's settings without its errors: one symmetric scale per tensor, the largest magnitude of 400
  // calibration images (the number of its profiling run), and int32 logits. No fine-tuning.
  static proto::QuantizeSpec DefaultQuantizeSpec();
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_QUANTIZE_OPTIONS_H_
