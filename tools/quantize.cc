// quantize: lenet5's weights, activations and biases in int8, with the accuracy after each step. The stage is
// lib/quantize/quantize.h.
#include "lib/quantize/quantize.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/init_main.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/record/stdout_guard.h"

ABSL_FLAG(std::string, input, "", "The dataset.rec that cifar_prep wrote; '-': standard input.");
ABSL_FLAG(std::vector<std::string>, checkpoint, {},
          "Weights of lenet5 or lenet5_bias, as train_sweep --checkpoint left them; several with commas between them.");
ABSL_FLAG(std::string, output, lockstep::QuantizeOptions().output, "The record file to write; '-': standard output.");
ABSL_FLAG(std::string, weight_range, "max_abs",
          "What becomes 127: max_abs, a layer's largest weight; three_sigma, |mean| + 3 standard deviations.");
RANGED_FLAG(uint32_t, calibration_images, lockstep::QuantizeOptions().calibration_images, 1, 1'000'000,
            "Training images on which the activations' ranges are taken.");
ABSL_FLAG(std::string, device, lockstep::QuantizeOptions().device, "auto or cpu; quantize computes on the CPU only.");
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(),
            "Chooses the calibration images and the images kept for replay.");
ABSL_FLAG(bool, force, false, "Make the output again even when it already holds this result.");
ABSL_FLAG(bool, dry_run, false, "Read and check everything, print the plan, write nothing.");
ABSL_FLAG(std::string, verify, "",
          "Instead of all the above: run the replay samples of this quantized.rec; exit 4 when one differs.");

namespace lockstep {
namespace {

constexpr char kTool[] = "quantize";

absl::StatusOr<QuantizeOptions> OptionsFromFlags() {
  QuantizeOptions options;
  options.input = absl::GetFlag(FLAGS_input);
  options.checkpoints = absl::GetFlag(FLAGS_checkpoint);
  options.output = absl::GetFlag(FLAGS_output);
  ASSIGN_OR_RETURN(options.weight_range, ParseWeightRange(absl::GetFlag(FLAGS_weight_range)));
  options.calibration_images = absl::GetFlag(FLAGS_calibration_images);
  options.device = absl::GetFlag(FLAGS_device);
  options.seed = absl::GetFlag(FLAGS_seed);
  options.force = absl::GetFlag(FLAGS_force);
  options.dry_run = absl::GetFlag(FLAGS_dry_run);
  return options;
}

absl::Status Run() {
  if (const std::string verify = absl::GetFlag(FLAGS_verify); !verify.empty()) {
    return VerifyQuantized(verify);
  }
  ASSIGN_OR_RETURN(const QuantizeOptions options, OptionsFromFlags());
  RETURN_IF_ERROR(CheckOutputFlag(options.output));
  if (options.output == "-" && !options.dry_run) {
    RETURN_IF_ERROR(TakeStdout().status());
  }
  return RunQuantize(options);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::InitMain(
      {lockstep::kTool,
       "Turns trained weights of lenet5 into int8, step by step, and records scales, histograms and the accuracy after "
       "each step.",
       "quantize --input=dataset.rec --checkpoint=lenet5.pt,lenet5_bias.pt --output=quantized.rec"},
      argc, argv);
  return lockstep::RunTool(lockstep::kTool, lockstep::Run);
}
