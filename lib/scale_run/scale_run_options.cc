#include "lib/scale_run/scale_run_options.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/batch_choice.h"
#include "lib/dataset/sampler.h"
#include "lib/scale_run/point_variants.h"
#include "lib/train/evaluation_flags.h"
#include "lib/train/kept_flags.h"
#include "lib/train/step_switches.h"

namespace lockstep {
namespace {

absl::Status CheckWords(const proto::ScaleSpec& variant) {
  RETURN_IF_ERROR(CheckFlagWord("buffers", variant.buffers(), {"local", "broadcast", "sync_bn"}));
  RETURN_IF_ERROR(CheckPreset(variant.preset()));
  RETURN_IF_ERROR(
      CheckFlagWord("reducer", variant.reducer(), {"auto", "own", "c10d", "peer", "peer_sharded", "hierarchical"}));
  RETURN_IF_ERROR(CheckFlagWord("bucket_plan", variant.bucket_plan(), {"ddp", "auto"}));
  return variant.gradient_compression().empty()
             ? absl::OkStatus()
             : CheckFlagWord("gradient_compression", variant.gradient_compression(), {"none", "bf16"});
}

// Checks that `auto` is the only reducer, because it may choose one of the others.
absl::Status CheckAutoIsAlone(const proto::ScaleSpec& spec) {
  for (const proto::KeyWords& several : spec.several()) {
    if (several.key() == "reducer" && absl::c_linear_search(several.word(), "auto")) {
      return absl::InvalidArgumentError(
          absl::StrCat("--reducer=", absl::StrJoin(several.word(), ","),
                       ": auto chooses one of the others at each point; give it alone, or name the others"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

uint32_t ValidationImages(const ScaleRunOptions& options, uint64_t training_images) {
  if (!options.default_validation) {
    return options.spec.training().validation_images();
  }
  const bool chooses = options.spec.experiment() == proto::LARGE_BATCH && options.spec.evaluate();
  return chooses ? static_cast<uint32_t>(DefaultValidationImages(training_images)) : 0;
}

std::vector<uint32_t> LeaveOutLargeBatches(uint64_t images, ScaleRunOptions& options) {
  proto::ScaleSpec& spec = options.spec;
  if (!options.default_batches || spec.ranks().empty()) {
    return {};
  }
  const uint32_t ranks = std::max(*absl::c_max_element(spec.ranks()), 1u);
  const bool global = spec.batch_mode() == proto::GLOBAL || spec.experiment() != proto::EXPERIMENT_UNSPECIFIED;
  const uint64_t limit = ShardSize(images, ranks, DropLast::kYes) * (global ? ranks : 1);
  std::vector<uint32_t> kept, left_out;
  for (const uint32_t batch : spec.batch_size()) {
    (batch <= limit ? kept : left_out).push_back(batch);
  }
  if (kept.empty()) {
    return {};
  }
  spec.mutable_batch_size()->Assign(kept.begin(), kept.end());
  return left_out;
}

absl::Status CheckScaleRunOptions(const ScaleRunOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: --input=dataset.rec, a record file of cifar_prep");
  }
  RETURN_IF_ERROR(CheckOutputFlag(options.output));
  RETURN_IF_ERROR(CheckFlagWord("device", options.device, {"auto", "cpu", "cuda"}));
  RETURN_IF_ERROR(CheckKeptFlags(options.resume, options.state_every, options.output, options.checkpoint));
  for (const proto::ScaleSpec& variant : VariantsOf(options.spec)) {
    RETURN_IF_ERROR(CheckWords(variant));
  }
  RETURN_IF_ERROR(CheckAutoIsAlone(options.spec));
  if (!options.rows.empty() && options.spec.experiment() == proto::EXPERIMENT_UNSPECIFIED) {
    return absl::InvalidArgumentError("--rows selects rows of an experiment's table; give --experiment, too");
  }
  RETURN_IF_ERROR(CheckEvaluationFlags(options.spec.evaluate(), options.spec.evaluate_every(),
                                       options.spec.target_accuracy(), options.spec.training()));
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
