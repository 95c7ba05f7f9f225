#include "lib/train/sweep_point.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/batch_loader.h"
#include "lib/cifar/sampler.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/device.h"
#include "lib/nn/model.h"
#include "lib/nn/torch_status.h"
#include "lib/record/digest.h"
#include "lib/train/epoch_runner.h"
#include "lib/train/evaluate.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

absl::StatusOr<LoaderOptions> ToLoaderOptions(const SweepPointOptions& options, const Dataset& dataset) {
  LoaderOptions loader;
  loader.batch_size = options.batch_size;
  loader.workers = options.training.loader_workers();
  loader.augment = options.training.augment();
  loader.drop_last = options.training.drop_last();
  loader.seed = options.training.seed();
  RETURN_IF_ERROR(NormalizeAsTrained(dataset.train.info, loader));
  return loader;
}

void AddTimes(const EpochTimes& times, proto::SweepPoint& point) {
  point.mutable_epoch_seconds()->add_value(times.epoch_seconds);
  point.mutable_step_seconds()->add_value(times.step_seconds);
  point.mutable_data_wait_seconds()->add_value(times.data_wait_seconds);
  point.mutable_copy_seconds()->add_value(times.copy_seconds);
  point.mutable_forward_seconds()->add_value(times.forward_seconds);
  point.mutable_backward_seconds()->add_value(times.backward_seconds);
  point.mutable_optimizer_seconds()->add_value(times.optimizer_seconds);
}

void SetAbsent(const std::string& reason, proto::SweepPoint& point) {
  for (proto::Samples* samples :
       {point.mutable_epoch_seconds(), point.mutable_step_seconds(), point.mutable_data_wait_seconds(),
        point.mutable_copy_seconds(), point.mutable_forward_seconds(), point.mutable_backward_seconds(),
        point.mutable_optimizer_seconds()}) {
    samples->set_absent_reason(reason);
  }
}

proto::EpochResult ToEpochResult(const EpochTimes& times, uint32_t epoch, const proto::TrainingSpec& spec) {
  proto::EpochResult result;
  result.set_epoch(epoch);
  result.set_warmup(epoch < spec.warmup_epochs());
  result.set_mean_loss(times.mean_loss);
  result.set_train_accuracy(times.accuracy);
  result.set_learning_rate(spec.learning_rate());
  return result;
}

// Trains all epochs and fills `point` with what they took.
absl::Status TrainEpochs(const SweepPointOptions& options, const Dataset& dataset, const LoaderOptions& loader_options,
                         TrainStep& step, proto::SweepPoint& point) {
  const proto::TrainingSpec& spec = options.training;
  const uint32_t epochs = spec.warmup_epochs() + spec.repeats();
  const auto images = static_cast<uint32_t>(dataset.train.size());
  BatchLoader loader(dataset.train, loader_options);
  Progress progress(absl::StrCat(spec.model(), " batch ", options.batch_size), uint64_t{epochs} * images, "images");
  for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
    ASSIGN_OR_RETURN(const EpochTimes times, RunEpoch(step, loader, epoch, EpochOrder(images, spec.seed(), epoch), nullptr,
                                                      &progress, uint64_t{epoch} * images));
    *point.add_epoch() = ToEpochResult(times, epoch, spec);
    point.set_steps_per_epoch(times.steps);
    point.set_images_per_epoch(times.images);
    point.set_tail_batch(static_cast<uint32_t>(times.images - uint64_t{times.steps - 1} * options.batch_size));
    if (epoch >= spec.warmup_epochs()) {
      AddTimes(times, point);
    }
  }
  if (spec.repeats() == 0) {
    SetAbsent("only the warm-up epoch was trained", point);
  }
  return absl::OkStatus();
}

absl::StatusOr<proto::Checkpoint> WriteCheckpoint(const SweepPointOptions& options, const Model& model,
                                                  const proto::SweepPoint& point) {
  RETURN_IF_ERROR(SaveCheckpoint(model, options.checkpoint_path));
  proto::Checkpoint checkpoint;
  checkpoint.set_path(options.checkpoint_path);
  ASSIGN_OR_RETURN(*checkpoint.mutable_sha256(), Sha256HexOfFile(options.checkpoint_path));
  checkpoint.set_format(kCheckpointFormat);
  checkpoint.set_model(options.training.model());
  checkpoint.set_batch_size(options.batch_size);
  checkpoint.set_epochs(static_cast<uint32_t>(point.epoch_size()));
  checkpoint.set_test_accuracy(point.epoch(point.epoch_size() - 1).test_accuracy());
  return checkpoint;
}

// Everything that may fail; `file` holds one point, not yet completed.
absl::Status Measure(const SweepPointOptions& options, const Dataset& dataset, proto::SweepFile& file) {
  proto::SweepPoint& point = *file.mutable_record(0)->mutable_point();
  const proto::TrainingSpec& spec = options.training;
  RETURN_IF_ERROR(CheckTrainingSpec(spec));
  RETURN_IF_ERROR(SetNumerics({spec.precision(), spec.deterministic(), spec.threads()}));
  ASSIGN_OR_RETURN(const LoaderOptions loader, ToLoaderOptions(options, dataset));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(spec.model(), spec.seed()));
  ResetPeakMemory(options.device);
  TrainStep step(model, spec, options.device);
  point.set_timing_method(step.TimingMethod());
  RETURN_IF_ERROR(TrainEpochs(options, dataset, loader, step, point));
  point.set_peak_memory_bytes(PeakMemoryBytes(options.device));
  *point.mutable_device_state() = ReadDeviceState(options.device);
  if (options.evaluate || !options.checkpoint_path.empty()) {
    ASSIGN_OR_RETURN(const double accuracy,
                     Evaluate(*model, dataset.test, loader.mean, loader.std, options.batch_size, options.device));
    point.mutable_epoch(point.epoch_size() - 1)->set_test_accuracy(accuracy);
  }
  if (!options.checkpoint_path.empty()) {
    ASSIGN_OR_RETURN(*file.add_record()->mutable_checkpoint(), WriteCheckpoint(options, *model, point));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<proto::SweepFile> RunSweepPoint(const SweepPointOptions& options, const Dataset& dataset) {
  proto::SweepFile file;
  file.add_record()->mutable_point()->set_batch_size(options.batch_size);
  const absl::Status status =
      CatchTorchErrors("setting up training", [&] { return Measure(options, dataset, file); });
  if (absl::IsCancelled(status)) {
    return status;
  }
  if (status.ok()) {
    file.mutable_record(0)->mutable_point()->set_outcome(proto::COMPLETED);
    return file;
  }
  // What an unfinished point measured so far is no measurement of it.
  proto::SweepFile failed;
  proto::SweepPoint& point = *failed.add_record()->mutable_point();
  point.set_batch_size(options.batch_size);
  point.set_outcome(absl::IsResourceExhausted(status) ? proto::OUT_OF_MEMORY : proto::FAILED);
  point.set_detail(std::string(status.message()));
  return failed;
}

}  // namespace lockstep
