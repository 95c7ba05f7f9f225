#include "lib/train/sweep_point.h"

#include <memory>
#include <utility>
#include <vector>

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
#include "lib/train/fused_point.h"
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

// The parts that only a step with seams has.
std::vector<proto::Samples*> Parts(proto::SweepPoint& point) {
  return {point.mutable_copy_seconds(), point.mutable_forward_seconds(), point.mutable_backward_seconds(),
          point.mutable_optimizer_seconds()};
}

void SetAbsent(const std::vector<proto::Samples*>& all, const std::string& reason) {
  for (proto::Samples* samples : all) {
    samples->clear_value();
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

// One epoch's share of the point.
void AddEpoch(const EpochTimes& times, uint32_t epoch, const SweepPointOptions& options, proto::SweepPoint& point) {
  *point.add_epoch() = ToEpochResult(times, epoch, options.training);
  point.set_steps_per_epoch(times.steps);
  point.set_images_per_epoch(times.images);
  point.set_tail_batch(static_cast<uint32_t>(times.images - uint64_t{times.steps - 1} * options.batch_size));
  if (epoch >= options.training.warmup_epochs()) {
    AddTimes(times, point);
  }
}

// Trains all epochs by LibTorch and fills `point` with what they took.
absl::Status TrainByAutograd(const SweepPointOptions& options, const ImageSet& images, const LoaderOptions& loader_options,
                             const std::shared_ptr<Model>& model, proto::SweepPoint& point) {
  const proto::TrainingSpec& spec = options.training;
  TrainStep step(model, spec, options.device);
  point.set_timing_method(step.TimingMethod());
  const uint32_t epochs = spec.warmup_epochs() + spec.repeats();
  const auto count = static_cast<uint32_t>(images.size());
  BatchLoader loader(images, loader_options);
  Progress progress(absl::StrCat(spec.model(), " batch ", options.batch_size), uint64_t{epochs} * count, "images");
  for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
    ASSIGN_OR_RETURN(const EpochTimes times, RunEpoch(step, loader, epoch, EpochOrder(count, spec.seed(), epoch), nullptr,
                                                      &progress, uint64_t{epoch} * count));
    AddEpoch(times, epoch, options, point);
  }
  point.set_peak_memory_bytes(PeakMemoryBytes(options.device));
  return absl::OkStatus();
}

// The same by the hand-written step; the model is on the device afterwards, too.
absl::Status TrainFused(const SweepPointOptions& options, const ImageSet& images, const LoaderOptions& loader,
                        const std::shared_ptr<Model>& model, proto::SweepPoint& point) {
  FusedMemory memory;
  RETURN_IF_ERROR(TrainFusedEpochs(options.training, loader, images, *model, memory,
                                   [&](uint32_t epoch, const EpochTimes& times) {
                                     AddEpoch(times, epoch, options, point);
                                     return absl::OkStatus();
                                   }));
  point.set_timing_method("cuda events around the epoch");
  point.set_predicted_memory_bytes(memory.predicted_bytes);
  point.set_peak_memory_bytes(memory.taken_bytes);
  SetAbsent(Parts(point), "the step is not timed in parts");
  model->to(options.device);
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
  // Of a fused run LibTorch computes the evaluation alone, from the fp32 weights.
  const proto::Precision of_libtorch = spec.step() == proto::FUSED ? proto::FP32 : spec.precision();
  RETURN_IF_ERROR(SetNumerics({of_libtorch, spec.deterministic(), spec.threads()}));
  ASSIGN_OR_RETURN(const LoaderOptions loader, ToLoaderOptions(options, dataset));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(spec.model(), spec.seed()));
  ResetPeakMemory(options.device);
  const auto train = spec.step() == proto::FUSED ? TrainFused : TrainByAutograd;
  RETURN_IF_ERROR(train(options, dataset.train, loader, model, point));
  if (spec.repeats() == 0) {
    SetAbsent({point.mutable_epoch_seconds(), point.mutable_step_seconds(), point.mutable_data_wait_seconds()},
              "only the warm-up epoch was trained");
    SetAbsent(Parts(point), "only the warm-up epoch was trained");
  }
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
