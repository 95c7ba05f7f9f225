#include "lib/train/sweep_options.h"

#include "absl/strings/str_cat.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"
#include "lib/train/evaluation_flags.h"
#include "lib/train/kept_flags.h"
#include "lib/train/step_switches.h"

namespace lockstep {
absl::Status CheckSweepOptions(const TrainSweepOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: --input=dataset.rec, a record file of cifar_prep");
  }
  RETURN_IF_ERROR(CheckOutputFlag(options.output));
  RETURN_IF_ERROR(CheckFlagWord("device", options.device, {"auto", "cpu", "cuda"}));
  RETURN_IF_ERROR(CheckPreset(options.spec.preset()));
  RETURN_IF_ERROR(CheckEvaluationFlags(options.evaluate, options.spec.evaluate_every(), options.spec.target_accuracy(),
                                       options.spec.training()));
  if (options.init == "-") {
    return absl::InvalidArgumentError("--init=-: each point reads the weights from a file; give it a name");
  }
  if (!options.init.empty() && options.resume) {
    return absl::InvalidArgumentError(
        "--init and --resume name two beginnings, the weights of a file and the state of a stopped run; leave one out");
  }
  return CheckKeptFlags(options.resume, options.state_every, options.output, options.checkpoint);
}

std::string StatePath(const TrainSweepOptions& options, uint32_t batch_size) {
  return options.resume ? absl::StrCat(options.output, ".batch", batch_size, ".state") : "";
}

}  // namespace lockstep
