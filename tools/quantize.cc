// quantize: converts a network's weights, activations and biases to int8, and measures the accuracy after each step.
// The stage is lib/quantize/quantize.h.
#include "lib/quantize/quantize.h"

#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "lib/base/init_main.h"
#include "lib/base/run_tool.h"
#include "lib/base/skip_static_destructors.h"
#include "lib/base/status_macros.h"
#include "lib/device/torch_needs.h"
#include "lib/record/stdout_guard.h"
#include "tools/quantize_flags.h"
#include "tools/two_programs.h"

namespace lockstep {
namespace {

absl::Status Run() {
  RETURN_IF_ERROR(CheckTorchNeeds());
  ASSIGN_OR_RETURN(const QuantizeOptions options, QuantizeOptionsFromFlags());
  if (const std::string verify = absl::GetFlag(FLAGS_verify); !verify.empty()) {
    return VerifyQuantized(verify, options);
  }
  if (options.output == "-" && !options.dry_run) {
    RETURN_IF_ERROR(TakeStdout().status());
  }
  return RunQuantize(options);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::SkipStaticDestructors();
  const lockstep::ToolInfo tool = lockstep::DescribeTool();
  lockstep::InitMain(tool, argc, argv);
  return lockstep::RunTool(tool.name, lockstep::Run);
}
