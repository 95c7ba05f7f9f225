#include "lib/train/training_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "lib/base/log_line.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/base/stopwatch.h"
#include "lib/dataset/augmentation_spec.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/normalization.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/statistics/percentile.h"
#include "lib/train/autograd_trainer.h"
#include "lib/train/device_watch.h"
#include "lib/train/energy_watch.h"
#include "lib/train/evaluate.h"
#include "lib/train/fused_trainer.h"
#include "lib/train/group_state.h"
#include "lib/train/matmul_ceiling.h"
#include "lib/train/neighbour_watch.h"
#include "lib/train/noise.h"
#include "lib/train/saved_tensors.h"
#include "lib/train/schedule.h"
#include "lib/train/step_times.h"

namespace lockstep {
namespace {

absl::StatusOr<LoaderOptions> ToLoaderOptions(const proto::PointOrder& order, const Dataset& dataset) {
  LoaderOptions loader;
  const proto::TrainingSpec& training = order.spec().training();
  loader.batch_size = order.batch_size();
  loader.workers = training.loader_workers();
  loader.augment = training.augment();
  loader.rule = AugmentationRuleOf(training);
  loader.drop_last = training.drop_last();
  loader.seed = training.seed();
  ASSIGN_OR_RETURN(const proto::Normalization normalization,
                   CompleteNormalization(training.normalization(), dataset.train.info));
  SetNormalization(normalization, loader);
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

// Adds the results of one epoch to the point.
void AddEpoch(const EpochTimes& times, uint32_t epoch, const TrainingRunOptions& options, proto::SweepPoint& point) {
  const proto::TrainingSpec& spec = options.order.spec().training();
  proto::EpochResult& result = *point.add_epoch();
  result.set_epoch(epoch);
  result.set_warmup(epoch < spec.warmup_epochs());
  result.set_mean_loss(times.mean_loss);
  result.set_train_accuracy(times.accuracy);
  result.set_learning_rate(LearningRateOf(spec, times.steps, epoch, 0));
  result.set_last_learning_rate(LearningRateOf(spec, times.steps, epoch, times.steps - 1));
  result.set_train_seconds(times.epoch_seconds);
  point.set_steps_per_epoch(times.steps);
  point.set_images_per_epoch(times.images);
  point.set_tail_batch(static_cast<uint32_t>(times.images - uint64_t{times.steps - 1} * options.order.batch_size()));
  if (!result.warmup()) {
    AddTimes(times, point);
  }
}

double Median(const proto::Samples& samples) {
  std::vector<double> sorted(samples.value().begin(), samples.value().end());
  std::sort(sorted.begin(), sorted.end());
  return Percentile(sorted, 0.5);
}

// Returns an epoch's log line:
// "batch 128  epoch  12/200  rate 0.0994  loss 0.5123  train 82.10 %  test 80.02 %  0.45 s + 0.31 s"
std::string EpochLine(const TrainingRunOptions& options, const proto::EpochResult& epoch) {
  std::string line =
      absl::StrFormat("batch %d  epoch %3d/%d  rate %.3g  loss %.4f  train %.2f %%", options.order.batch_size(),
                      epoch.epoch() + 1, TotalEpochs(options.order.spec().training()), epoch.learning_rate(),
                      epoch.mean_loss(), 100 * epoch.train_accuracy());
  if (epoch.has_test_accuracy()) {
    absl::StrAppendFormat(&line, "  test %.2f %%", 100 * epoch.test_accuracy());
  }
  if (epoch.has_mirrored_test_accuracy()) {
    absl::StrAppendFormat(&line, "  mirrored %.2f %%", 100 * epoch.mirrored_test_accuracy());
  }
  if (epoch.has_validation_accuracy()) {
    absl::StrAppendFormat(&line, "  validation %.2f %%", 100 * epoch.validation_accuracy());
  }
  absl::StrAppendFormat(&line, "  %.2f s", epoch.train_seconds());
  return epoch.has_test_accuracy() ? absl::StrCat(line, absl::StrFormat(" + %.2f s", epoch.evaluate_seconds())) : line;
}

// Compares the last epoch's accuracy with the target.
void SetTarget(double wanted, proto::SweepPoint& point) {
  const proto::EpochResult& last = point.epoch(point.epoch_size() - 1);
  proto::TargetAccuracy& target = *point.mutable_target();
  target.set_accuracy(wanted);
  if (!last.has_test_accuracy() || last.test_accuracy() < wanted) {
    return;
  }
  target.set_reached(true);
  target.set_epoch(last.epoch());
  for (const proto::EpochResult& epoch : point.epoch()) {
    target.set_training_seconds(target.training_seconds() + epoch.train_seconds());
    target.set_total_seconds(target.total_seconds() + epoch.train_seconds() + epoch.evaluate_seconds());
  }
}

EvaluationShare ShareOf(const TrainingRunOptions& options) {
  EvaluationShare share;
  if (options.group != nullptr) {
    share = {options.group->rank(), options.group->size()};
  }
  share.often = options.order.spec().evaluate_every() != 0;
  return share;
}

// Replaces a network's running statistics by rank 0's during evaluation, as in a checkpoint, and restores its own
// afterwards.
class BuffersOfRankZero {
 public:
  absl::Status Borrow(RankGroup* group, Model& model) {
    if (group == nullptr || group->size() == 1) {
      return absl::OkStatus();
    }
    own_.Save(model.buffers());
    return group->ShareBuffers(model);
  }
  ~BuffersOfRankZero() { own_.Restore(); }

 private:
  SavedTensors own_;
};

uint32_t EvaluationBatch(const TrainingRunOptions& options) {
  return options.device.is_cuda() ? kCudaEvaluationBatch : std::min(options.order.batch_size(), kCudaEvaluationBatch);
}

absl::Duration StallTimeout(const proto::PointOrder& order) {
  return order.timeout_seconds() > 0 ? absl::Seconds(order.timeout_seconds()) : absl::InfiniteDuration();
}

// Decides whether a failed measurement that is not part of the point ends the run. Returns OK if the point can
// continue. Returns the error at a stop signal, and if the device is broken: every later call would fail without naming
// the cause.
absl::Status PassOnWhatEnds(const absl::Status& failed, absl::string_view what, c10::Device device) {
  if (absl::IsCancelled(failed)) {
    return failed;
  }
  const absl::Status waited = CatchTorchErrors("waiting for the device", [device] {
    SynchronizeDevice(device);
    return absl::OkStatus();
  });
  return waited.ok() ? waited : absl::Status(failed.code(), absl::StrCat(what, ": ", failed.message()));
}

// Fractions of correctly classified images of a set.
struct Accuracies {
  double plain = 0;
  double mirrored = 0;  // fraction by the mean of the logits of each image and its mirror image
};

// Image set with LibTorch's evaluator for it.
struct EvaluationSet {
  EvaluationSet(const ImageSet& set, bool mirrored, size_t index, const LoaderOptions& loader,
                const TrainingRunOptions& options)
      : images(set.size()), mirrored(mirrored), index(index),
        evaluator(set, loader.mean, loader.std, EvaluationBatch(options), options.device, ShareOf(options)) {}

  uint64_t images;  // number of images, over all ranks
  bool mirrored;    // true: the accuracy with mirror images is also measured
  size_t index;     // position in TrainerInput::evaluated, if the trainer evaluates
  Evaluator evaluator;
};

// Returns true if the trainer's forward pass measures the accuracies, not LibTorch's.
bool TrainerEvaluates(const TrainingRunOptions& options) {
  return options.order.evaluate() && options.order.spec().training().evaluation() == proto::FUSED;
}

// Returns the sets that the trainer evaluates: the test set, and the held-out images if there are any.
std::vector<EvaluatedImages> EvaluatedByTrainer(const TrainingRunOptions& options, const Dataset& dataset) {
  std::vector<EvaluatedImages> evaluated;
  if (TrainerEvaluates(options)) {
    const bool mirrored = options.order.spec().training().evaluate_mirrored();
    evaluated.push_back({&dataset.test, ShareOf(options), mirrored});
    if (dataset.validation.size() != 0) {
      evaluated.push_back({&dataset.validation, ShareOf(options)});
    }
  }
  return evaluated;
}

class TrainingRun {
 public:
  TrainingRun(const TrainingRunOptions& options, const Dataset& dataset, const LoaderOptions& loader,
              std::shared_ptr<Model> model, proto::SweepPoint& point)
      : options_(options),
        epochs_(TotalEpochs(options.order.spec().training())), input_{options.order.spec().training(),
                                                                      loader,
                                                                      &dataset.train,
                                                                      std::move(model),
                                                                      options.device,
                                                                      options.group,
                                                                      EvaluatedByTrainer(options, dataset)},
        images_(ImagesOf(input_)), test_(dataset.test, input_.spec.evaluate_mirrored(), 0, loader, options),
        validation_(dataset.validation, /*mirrored=*/false, 1, loader, options),
        watcher_(DeviceStateReader(options.device)), energy_(DeviceEnergySensor(options.device)),
        stall_watch_(StallTimeout(options.order), options.stalled), point_(point) {}

  absl::Status Run() {
    const proto::TrainingSpec& spec = input_.spec;
    Progress progress(Label(), uint64_t{epochs_} * images_, "images", IsRankZero() ? stderr : nullptr);
    progress.ExpectLater(options_.order.later_seconds());
    RETURN_IF_ERROR(stall_watch_.Start());
    stall_watch_.Enter("setting up the training step");
    ResetPeakMemory(options_.device);
    if (options_.group != nullptr) {
      RETURN_IF_ERROR(options_.group->ShareModel(*input_.model));
    }
    ASSIGN_OR_RETURN(trainer_, MakeTrainer());
    ASSIGN_OR_RETURN(const uint32_t first, Resume());
    progress.ResumeFrom(uint64_t{first} * images_);
    for (uint32_t epoch = first; epoch < epochs_ && !point_.target().reached(); ++epoch) {
      ASSIGN_OR_RETURN(EpochTimes times, Train(epoch, progress));
      RETURN_IF_ERROR(AverageOverRanks(times));
      AddEpoch(times, epoch, options_, point_);
      AddSteps(times, epoch);
      trainer_->Describe(point_);
      RETURN_IF_ERROR(FinishEpoch(epoch));
      if (spec.schedule() != proto::SCHEDULE_UNSPECIFIED || options_.order.spec().evaluate_every() != 0) {
        progress.PrintLine(EpochLine(options_, point_.epoch(point_.epoch_size() - 1)));
      }
      RETURN_IF_ERROR(KeepState(epoch));
    }
    if (trainer_ != nullptr) {
      RETURN_IF_ERROR(EndTraining());
    }
    if (point_.epoch_size() == 0) {
      return absl::InternalError(absl::StrCat("no epoch was trained of ", epochs_, ": nothing was measured"));
    }
    *point_.mutable_full_steps() = ToStepTimes(std::move(full_steps_));
    point_.set_batch_norm_images(options_.order.batch_size() / std::max(spec.accumulate(), 1u));
    return absl::OkStatus();
  }

 private:
  std::string Label() const {
    const std::string& place = options_.order.place();
    return absl::StrCat(place, place.empty() ? "" : ", ", input_.spec.model(), " batch ", options_.order.batch_size(),
                        Others());
  }
  std::string Others() const {
    return options_.group != nullptr ? absl::StrCat(" on each of ", options_.group->size(), " ranks") : "";
  }
  bool HasSeveralRanks() const { return options_.group != nullptr && options_.group->size() > 1; }
  bool IsRankZero() const { return options_.group == nullptr || options_.group->rank() == 0; }

  // Replaces loss and accuracy of this rank's images by those of all images. All shards have the same size.
  absl::Status AverageOverRanks(EpochTimes& times) const {
    if (options_.group == nullptr) {
      return absl::OkStatus();
    }
    const RankNumber loss = {"mean_loss", times.mean_loss, 0, 0, /*checked=*/false};
    const RankNumber accuracy = {"train_accuracy", times.accuracy, 0, 1};
    ASSIGN_OR_RETURN(const std::vector<double> sums, options_.group->Sum({loss, accuracy}));
    times.mean_loss = sums[0] / options_.group->size();
    times.accuracy = sums[1] / options_.group->size();
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<EpochTrainer>> MakeTrainer() const {
    if (options_.make_trainer) {
      return options_.make_trainer(input_);
    }
    if (input_.spec.step() == proto::FUSED) {
      return MakeFusedTrainer(input_);
    }
    return MakeAutogradTrainer(input_);
  }

  // Trains one epoch. Watches the device if the epoch is timed.
  absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) {
    stall_watch_.Enter(absl::StrCat("epoch ", epoch + 1, " of ", epochs_));
    if (options_.group != nullptr) {
      RETURN_IF_ERROR(options_.group->BeginEpoch(epoch));
    }
    if (epoch >= input_.spec.warmup_epochs()) {
      RETURN_IF_ERROR(watcher_.Begin());
      neighbours_.Begin();
      RETURN_IF_ERROR(energy_.Begin());
    }
    absl::StatusOr<EpochTimes> times = trainer_->Train(epoch, progress);
    energy_.End();
    watcher_.End();
    neighbours_.End();
    if (options_.group != nullptr && times.ok()) {
      RETURN_IF_ERROR(options_.group->EndEpoch(epoch));
    }
    if (options_.epoch_ended && times.ok()) {
      options_.epoch_ended(epoch);
    }
    return times;
  }

  // Adds the times of the full steps. The last step may be shorter than the others.
  void AddSteps(const EpochTimes& times, uint32_t epoch) {
    if (epoch < input_.spec.warmup_epochs() || times.steps_seconds.empty()) {
      return;
    }
    const bool tail = times.images % options_.order.batch_size() != 0;
    full_steps_.insert(full_steps_.end(), times.steps_seconds.begin(), times.steps_seconds.end() - (tail ? 1 : 0));
  }

  // Resumes from the state of a stopped run, if there is one. Returns the epoch to begin with.
  absl::StatusOr<uint32_t> Resume() {
    if (options_.state.path.empty()) {
      return 0;
    }
    std::optional<TrainingStates> read;
    if (IsRankZero()) {
      ASSIGN_OR_RETURN(read, ReadTrainingState(options_.state));
    }
    ASSIGN_OR_RETURN(std::optional<TrainingState> state, HandOutStates(options_.group, std::move(read)));
    if (!state.has_value()) {
      return 0;
    }
    RETURN_IF_ERROR(trainer_->SetState(state->arrays));
    RETURN_IF_ERROR(options_.resume ? options_.resume(state->measured) : absl::OkStatus());
    point_ = std::move(state->point);
    const auto first = static_cast<uint32_t>(point_.epoch_size());
    point_.add_resumed_epoch(first);
    if (IsRankZero()) {
      LogLine(absl::StrCat("batch ", options_.order.batch_size(), Others(), " resumes after epoch ", first, " of ",
                           epochs_));
    }
    return first;
  }

  absl::Status KeepState(uint32_t epoch) {
    const bool due = (epoch + 1) % options_.order.state_every() == 0;
    if (options_.state.path.empty() || !due || epoch + 1 == epochs_ || point_.target().reached()) {
      return absl::OkStatus();
    }
    TrainingState own;
    own.point = point_;
    own.measured = options_.measured ? options_.measured() : "";
    ASSIGN_OR_RETURN(own.arrays, trainer_->GetState());
    ASSIGN_OR_RETURN(TrainingStates states, GatherStates(options_.group, std::move(own)));
    return IsRankZero() ? WriteTrainingState(options_.state, std::move(states)) : absl::OkStatus();
  }

  // Makes the measurements that are not part of the timed epochs, if there were any, and destroys the trainer. The
  // model must already hold the trained values.
  absl::Status EndTraining() {
    const bool timed = !point_.epoch_seconds().value().empty();
    if (timed) {
      *point_.mutable_device_watch() = watcher_.Summary();
      *point_.mutable_epoch_joules() = energy_.EpochJoules(point_.device_watch());
      *point_.mutable_neighbours() = neighbours_.Summary(CountOtherGpuProcesses(options_.device));
      if (options_.group == nullptr) {
        for (std::string& warning : NoiseWarnings(point_.epoch_seconds(), point_.neighbours(), point_.device_watch())) {
          point_.add_noise_warning(std::move(warning));
        }
      }
      RETURN_IF_ERROR(TimeParts());
    }
    trainer_.reset();
    return timed && options_.group == nullptr ? MeasureCeiling() : absl::OkStatus();
  }

  // Trains the instrumented epoch.
  absl::Status TimeParts() {
    constexpr char kWhat[] = "the instrumented epoch";
    stall_watch_.Enter(kWhat);
    absl::StatusOr<std::optional<InstrumentedSteps>> instrumented = trainer_->TrainInstrumented(epochs_ - 1);
    if (!instrumented.ok()) {
      point_.mutable_step_parts()->set_absent_reason(std::string(instrumented.status().message()));
      return PassOnWhatEnds(instrumented.status(), kWhat, options_.device);
    }
    if (instrumented->has_value()) {
      if (options_.instrumented) {
        options_.instrumented(**instrumented);
      }
      proto::StepParts& parts = *point_.mutable_step_parts();
      parts = std::move((*instrumented)->parts);
      parts.set_perturbation(parts.epoch_seconds() / Median(point_.epoch_seconds()));
      full_steps_ = std::move((*instrumented)->full_seconds);
    }
    return absl::OkStatus();
  }

  // Measures the rate of large matrix products.
  absl::Status MeasureCeiling() {
    constexpr char kWhat[] = "timing large matrix products";
    stall_watch_.Enter(kWhat);
    absl::StatusOr<proto::MatmulCeiling> ceiling = MeasureMatmulCeiling(options_.device, input_.spec.precision());
    if (!ceiling.ok()) {
      proto::Samples& absent = *point_.mutable_matmul_ceiling()->mutable_product_seconds();
      absent.set_absent_reason(std::string(ceiling.status().message()));
      return PassOnWhatEnds(ceiling.status(), kWhat, options_.device);
    }
    *point_.mutable_matmul_ceiling() = *std::move(ceiling);
    return absl::OkStatus();
  }

  // Evaluates if it is due. After the last epoch, the trainer is destroyed before an evaluation by LibTorch, so its
  // memory is free. Before an evaluation by the trainer, only several ranks fetch the weights into the model.
  absl::Status FinishEpoch(uint32_t epoch) {
    const bool last = epoch + 1 == epochs_;
    const bool due =
        options_.order.spec().evaluate_every() != 0 && (epoch + 1) % options_.order.spec().evaluate_every() == 0;
    if (!last && !due) {
      return absl::OkStatus();
    }
    *point_.mutable_device_state() = ReadDeviceState(options_.device);
    const bool by_trainer = TrainerEvaluates(options_);
    const bool reads_model = !by_trainer || HasSeveralRanks();  // the statistics are rank 0's
    const Stopwatch fetching;
    RETURN_IF_ERROR(reads_model ? trainer_->UpdateModel() : absl::OkStatus());
    const double fetch_seconds = reads_model ? fetching.Seconds() : 0;
    if (last && !by_trainer) {
      RETURN_IF_ERROR(EndTraining());
    }
    if (options_.order.evaluate()) {
      stall_watch_.Enter(absl::StrCat("evaluating after epoch ", epoch + 1));
      const Stopwatch evaluating;
      proto::EpochResult& result = *point_.mutable_epoch(point_.epoch_size() - 1);
      ASSIGN_OR_RETURN(const Accuracies accuracies, Evaluate(test_));
      result.set_test_accuracy(accuracies.plain);
      if (test_.mirrored) {
        result.set_mirrored_test_accuracy(accuracies.mirrored);
      }
      result.set_evaluate_seconds(fetch_seconds + evaluating.Seconds());
      ResetPeakMemory(options_.device);
    }
    if (options_.order.spec().target_accuracy() != 0) {
      SetTarget(options_.order.spec().target_accuracy(), point_);
    }
    if (!last && !point_.target().reached()) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(Validate());
    return reads_model ? absl::OkStatus() : trainer_->UpdateModel();
  }

  // Evaluates the held-out images once, after training. No recorded time includes this.
  absl::Status Validate() {
    if (!options_.order.evaluate() || validation_.images == 0) {
      return absl::OkStatus();
    }
    stall_watch_.Enter("evaluating on the held-out images");
    ASSIGN_OR_RETURN(const Accuracies accuracies, Evaluate(validation_));
    point_.mutable_epoch(point_.epoch_size() - 1)->set_validation_accuracy(accuracies.plain);
    ResetPeakMemory(options_.device);
    return absl::OkStatus();
  }

  absl::StatusOr<Accuracies> Evaluate(EvaluationSet& set) {
    BuffersOfRankZero buffers;
    RETURN_IF_ERROR(buffers.Borrow(options_.group, *input_.model));
    ASSIGN_OR_RETURN(const CorrectCounts correct, CountCorrect(set));
    std::vector<int64_t> counts = {correct.plain};
    if (set.mirrored) {
      counts.push_back(correct.mirrored);
    }
    ASSIGN_OR_RETURN(const std::vector<double> sums, SumCounts(set, counts));
    Accuracies accuracies;
    ASSIGN_OR_RETURN(accuracies.plain, set.evaluator.Accuracy(sums.front()));
    ASSIGN_OR_RETURN(accuracies.mirrored, set.evaluator.Accuracy(set.mirrored ? sums.back() : 0));
    return accuracies;
  }

  // Counts the correctly classified images of this rank's share. `mirrored` is 0 if the set does not count them.
  absl::StatusOr<CorrectCounts> CountCorrect(EvaluationSet& set) {
    if (TrainerEvaluates(options_)) {
      return trainer_->CountCorrect(set.index);
    }
    if (set.mirrored) {
      return set.evaluator.CountCorrectMirrored(*input_.model);
    }
    CorrectCounts correct;
    ASSIGN_OR_RETURN(correct.plain, set.evaluator.CountCorrect(*input_.model));
    return correct;
  }

  // Returns the sums over the ranks of counts of correct images.
  absl::StatusOr<std::vector<double>> SumCounts(const EvaluationSet& set, const std::vector<int64_t>& counts) const {
    std::vector<double> sums(counts.begin(), counts.end());
    if (options_.group == nullptr) {
      return sums;
    }
    const uint64_t largest_share = (set.images + options_.group->size() - 1) / options_.group->size();
    std::vector<RankNumber> here;
    for (const double count : sums) {
      here.push_back({"number of correct images", count, 0, static_cast<double>(largest_share)});
    }
    return options_.group->Sum(here);
  }

  const TrainingRunOptions& options_;
  const uint32_t epochs_;
  const TrainerInput input_;
  const uint64_t images_;  // images of an epoch on this rank
  EvaluationSet test_;
  EvaluationSet validation_;  // held-out images; empty if there are none
  std::unique_ptr<EpochTrainer> trainer_;
  DeviceWatcher watcher_;
  EnergyWatch energy_;
  NeighbourWatch neighbours_;
  StallWatch stall_watch_;
  std::vector<double> full_steps_;  // seconds of each full step of the timed epochs
  proto::SweepPoint& point_;
};

}  // namespace

absl::Status RunTraining(const TrainingRunOptions& options, const Dataset& dataset, const std::shared_ptr<Model>& model,
                         proto::SweepPoint& point) {
  ASSIGN_OR_RETURN(const LoaderOptions loader, ToLoaderOptions(options.order, dataset));
  TrainingRun run(options, dataset, loader, model, point);
  const absl::Status status = run.Run();
  if (!status.ok() && options.failed) {
    options.failed(status);
  }
  return status;
}

}  // namespace lockstep
