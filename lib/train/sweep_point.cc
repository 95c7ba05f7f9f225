#include "lib/train/sweep_point.h"

#include <sys/resource.h>

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/nn/model.h"
#include "lib/nn/zero_gamma.h"
#include "lib/train/initial_weights.h"
#include "lib/train/train_step.h"
#include "lib/train/trained_weights.h"
#include "lib/train/training_run.h"

namespace lockstep {
namespace {

// Returns true if oneDNN failed, and the process's memory is bounded (--memory_limit_bytes). oneDNN's exceptions carry
// the kind of error in a type that LibTorch's headers do not expose, and their text says only which operation failed.
// With a memory limit the limit is assumed to be the cause, because the same operations worked at smaller batches.
bool IsOneDnnAtTheMemoryLimit(const absl::Status& status) {
  rlimit limit;
  const bool bounded = getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return bounded && (absl::StrContains(status.message(), "could not create a ") ||
                     absl::StrContains(status.message(), "could not execute a primitive"));
}

void SetAbsent(const std::vector<proto::Samples*>& all, const std::string& reason) {
  for (proto::Samples* samples : all) {
    samples->clear_value();
    samples->set_absent_reason(reason);
  }
}

// Performs every step that can fail. `file` must hold one point that is not yet completed.
absl::Status Measure(const TrainingRunOptions& options, const Dataset& dataset, proto::SweepFile& file) {
  proto::SweepPoint& point = *file.mutable_record(0)->mutable_point();
  const proto::TrainingSpec& spec = options.order.spec().training();
  RETURN_IF_ERROR(CheckTrainingSpec(spec));
  // LibTorch computes in fp32 unless TrainStep requests bf16; with the fused step it computes only the evaluation.
  RETURN_IF_ERROR(SetNumerics({.deterministic = spec.deterministic(), .threads = spec.threads()}));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakePlannedModel(spec, ModelShapeOf(dataset.train.info)));
  RETURN_IF_ERROR(spec.zero_gamma() ? SetZeroGamma(*model) : absl::OkStatus());
  RETURN_IF_ERROR(LoadInitialWeights(options.order, *model));
  TrainingRunOptions run = options;
  run.order.set_evaluate(run.order.evaluate() || !run.order.checkpoint_path().empty());
  RETURN_IF_ERROR(RunTraining(run, dataset, model, point));
  if (point.epoch_seconds().value().empty()) {
    SetAbsent({point.mutable_epoch_seconds(), point.mutable_step_seconds(), point.mutable_data_wait_seconds(),
               point.mutable_copy_seconds(), point.mutable_forward_seconds(), point.mutable_backward_seconds(),
               point.mutable_optimizer_seconds()},
              "only the warm-up epoch was trained");
  }
  if (!options.order.checkpoint_path().empty()) {
    const TrainedWeights weights = {options.order.checkpoint_path(), spec.model(), options.order.batch_size(),
                                    options.order.afresh(), spec.normalization()};
    ASSIGN_OR_RETURN(*file.add_record()->mutable_checkpoint(), WriteTrainedWeights(weights, *model, point.epoch()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<proto::SweepFile> RunSweepPoint(const TrainingRunOptions& options, const Dataset& dataset) {
  proto::SweepFile file;
  file.add_record()->mutable_point()->set_batch_size(options.order.batch_size());
  const absl::Status status = CatchTorchErrors("setting up training", [&] { return Measure(options, dataset, file); });
  if (absl::IsCancelled(status)) {
    return status;
  }
  if (status.ok()) {
    file.mutable_record(0)->mutable_point()->set_outcome(proto::COMPLETED);
    return file;
  }
  return UnfinishedPoint(options.order.batch_size(), status);
}

proto::SweepFile UnfinishedPoint(uint32_t batch_size, const absl::Status& error) {
  proto::SweepFile file;
  proto::SweepPoint& point = *file.add_record()->mutable_point();
  point.set_batch_size(batch_size);
  const bool at_limit = IsOneDnnAtTheMemoryLimit(error);
  point.set_outcome(absl::IsResourceExhausted(error) || at_limit ? proto::OUT_OF_MEMORY : proto::FAILED);
  if (point.outcome() == proto::FAILED) {
    point.set_exit_status(static_cast<int>(ToExitCode(error)));
  }
  point.set_detail(absl::StrCat(error.message(), at_limit ? " (oneDNN, at the memory limit)" : ""));
  return file;
}

}  // namespace lockstep
