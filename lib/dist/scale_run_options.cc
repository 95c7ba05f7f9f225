#include "lib/dist/scale_run_options.h"

#include "absl/strings/str_cat.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"

namespace lockstep {

absl::Status CheckScaleRunOptions(const ScaleRunOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: --input=dataset.rec, a record file of cifar_prep");
  }
  RETURN_IF_ERROR(CheckOutputFlag(options.output));
  RETURN_IF_ERROR(CheckFlagWord("buffers", options.spec.buffers(), {"local", "broadcast"}));
  if (!(options.spec.timeout_seconds() >= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--timeout is ", options.spec.timeout_seconds(), " s; expected 1s or more"));
  }
  if (options.spec.training().repeats() == 0) {  // an epoch that is not timed measures nothing here
    return absl::InvalidArgumentError(
        absl::StrCat("--epochs=", options.spec.training().warmup_epochs(),
                     " and --repeats=0: expected epochs = 1 (warm-up) + repeats, or one of the two"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
