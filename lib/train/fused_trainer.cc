#include "lib/train/fused_trainer.h"

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/device/device.h"
#include "lib/fused/evaluation_images.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/resnet_epoch.h"
#include "lib/fused/resnet_evaluation.h"
#include "lib/fused/resnet_step.h"
#include "lib/train/evaluate.h"
#include "lib/train/exchange_steps.h"
#include "lib/train/fused_weights.h"
#include "lib/train/schedule.h"
#include "lib/train/step_parts.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

ConvolutionType TypeOf(proto::Precision precision) {
  return precision == proto::BF16   ? ConvolutionType::kBf16
         : precision == proto::TF32 ? ConvolutionType::kTf32
                                    : ConvolutionType::kFp32;
}

ResNetStepOptions ToStepOptions(const TrainerInput& input) {
  const proto::TrainingSpec& spec = input.spec;
  const LoaderOptions& loader = input.loader;
  ResNetStepOptions options;
  options.type = TypeOf(spec.precision());
  options.stage_blocks = FusedStageBlocks(spec.model()).value_or(kResNet18Blocks);  // CheckTrainingSpec has checked it
  const ModelShape shape = ModelShapeOf(input.images->info);                        // CheckStepShape has checked it
  options.classes = static_cast<uint32_t>(shape.classes);
  options.image_size = static_cast<uint32_t>(shape.height);
  options.max_batch = loader.batch_size;
  options.micro_batch = spec.accumulate() > 1 ? loader.batch_size / spec.accumulate() : 0;
  options.momentum = static_cast<float>(spec.momentum());
  options.weight_decay = static_cast<float>(spec.weight_decay());
  options.nesterov = spec.optimizer() == proto::NESTEROV;
  options.label_smoothing = static_cast<float>(spec.label_smoothing());
  options.clip_norm = static_cast<float>(spec.clip_norm());
  options.lars = static_cast<float>(spec.lars());
  options.seed = loader.seed;
  options.augment = loader.augment;
  options.augmentation = loader.rule;
  options.two_streams = spec.second_stream();
  options.fused_sums = spec.fused_sums();
  options.fused_batch_norm = spec.fused_batch_norm();
  options.own_weight_gradients = spec.own_weight_gradients();
  options.divide_multiprocessors = spec.divide_multiprocessors();
  options.own_convolutions = spec.own_convolutions();
  options.autotune = !spec.deterministic();  // the choice of engines is not repeatable
  options.deterministic = spec.deterministic();
  options.exchange = input.group != nullptr ? input.group->exchange() : nullptr;
  return options;
}

// `images` must outlive the result.
ResidentImages ToResident(const ImageSet& images, const LoaderOptions& loader) {
  ResidentImages resident;
  resident.pixels = images.pixels.data();
  resident.labels = images.labels.data();
  resident.count = static_cast<uint32_t>(images.size());
  resident.mean = loader.mean;
  resident.std = loader.std;
  return resident;
}

// Returns the share of a set; its images must outlive the result.
ResidentImages ToResident(const EvaluatedImages& evaluated) {
  const auto [first, count] = RangeOfShare(*evaluated.images, evaluated.share);
  const uint64_t image_bytes = uint64_t{kImageChannels} * evaluated.images->height() * evaluated.images->width();
  ResidentImages resident;
  resident.pixels = evaluated.images->pixels.data() + static_cast<uint64_t>(first) * image_bytes;
  resident.labels = evaluated.images->labels.data() + first;
  resident.count = static_cast<uint32_t>(count);
  return resident;
}

EpochTimes ToEpochTimes(const FusedEpoch& epoch) {
  EpochTimes times;
  times.epoch_seconds = epoch.seconds;
  times.step_seconds = epoch.device_seconds;
  times.data_wait_seconds = epoch.seconds - epoch.device_seconds;
  times.steps = epoch.steps;
  times.images = epoch.images;
  times.mean_loss = epoch.mean_loss;
  times.accuracy = epoch.accuracy;
  return times;
}

std::string BytesOf(const std::vector<float>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

absl::StatusOr<std::vector<float>> NumbersOf(const TrainingArrays& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  if (found == arrays.end() || found->second.size() % sizeof(float) != 0) {
    return absl::FailedPreconditionError(absl::StrCat("the training state has no fp32 array ", name));
  }
  std::vector<float> numbers(found->second.size() / sizeof(float));
  std::memcpy(numbers.data(), found->second.data(), found->second.size());
  return numbers;
}

class FusedTrainer : public EpochTrainer {
 public:
  static absl::StatusOr<std::unique_ptr<EpochTrainer>> Make(const TrainerInput& input) {
    RETURN_IF_ERROR(CheckStepShape(input.spec, ModelShapeOf(input.images->info)));
    const ResNetStepOptions options = ToStepOptions(input);
    ASSIGN_OR_RETURN(std::unique_ptr<ResNetStep> step,
                     ResNetStep::Make(options, ToResident(*input.images, input.loader)));
    std::unique_ptr<FusedTrainer> trainer(new FusedTrainer(input, std::move(step)));
    trainer->predicted_bytes_ = ResNetStep::PredictBytes(options, static_cast<uint32_t>(input.images->size()));
    ASSIGN_OR_RETURN(const ResNetValues values, ToFusedValues(*input.model));
    RETURN_IF_ERROR(trainer->step_->SetValues(values));
    RETURN_IF_ERROR(trainer->epochs_.Prepare(trainer->images_, ToDropLast(input.loader.drop_last)));
    RETURN_IF_ERROR(trainer->PrepareEvaluations(options.image_size));
    return trainer;
  }

  absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) override {
    ASSIGN_OR_RETURN(const FusedEpoch result,
                     epochs_.Train(OrderOf(input_, epoch), epoch, Rates(epoch),
                                   [&](uint64_t done) { progress.Update(uint64_t{epoch} * images_ + done); }));
    return ToEpochTimes(result);
  }

  absl::StatusOr<std::optional<InstrumentedSteps>> TrainInstrumented(uint32_t epoch) override {
    if (input_.spec.accumulate() > 1) {
      return absl::UnimplementedError("steps of several micro-batches are not timed in parts");
    }
    const auto captured = [&] {  // ranks must begin together, although they finish their captures at different times
      return input_.group == nullptr ? absl::OkStatus() : input_.group->BeginEpoch(epoch);
    };
    ASSIGN_OR_RETURN(const FusedEpoch result,
                     epochs_.TrainInstrumented(OrderOf(input_, epoch), epoch, Rates(epoch), captured));
    ASSIGN_OR_RETURN(InstrumentedSteps steps,
                     ToInstrumentedSteps(result.timestamps, images_ / input_.loader.batch_size));
    ASSIGN_OR_RETURN(steps.exchange, ToExchangeSteps(result.timestamps, result.range_timestamps));
    steps.parts.set_epoch_seconds(result.seconds);
    steps.parts.set_step_seconds(result.device_seconds);
    for (const UnitKernels& unit : step_->Kernels(input_.loader.batch_size)) {
      proto::UnitKernels& kernels = *steps.parts.add_kernels();
      kernels.set_convolution(unit.convolution);
      kernels.set_forward(unit.forward);
      kernels.set_data_gradient(unit.data_gradient);
      kernels.set_weight_gradient(unit.weight_gradient);
    }
    return steps;
  }

  absl::Status UpdateModel() override {
    ASSIGN_OR_RETURN(const ResNetValues trained, step_->GetValues());
    input_.model->to(input_.device);
    return FromFusedValues(trained, *input_.model);
  }

  absl::StatusOr<CorrectCounts> CountCorrect(size_t set) override {
    if (evaluations_[set] == nullptr) {
      return CorrectCounts();
    }
    std::vector<float> running;  // empty: the step's own
    if (input_.group != nullptr && input_.group->size() > 1) {
      ASSIGN_OR_RETURN(running, ToFusedRunning(*input_.model));
    }
    ASSIGN_OR_RETURN(const EvaluationCounts counts, evaluations_[set]->Run(running));
    return CorrectCounts{counts.plain.correct, counts.mirrored.correct};
  }

  absl::StatusOr<TrainingArrays> GetState() override {
    ASSIGN_OR_RETURN(const ResNetValues values, step_->GetValues());
    ASSIGN_OR_RETURN(const ResNetValues momentum, step_->GetMomentum());
    return TrainingArrays{{"weights", BytesOf(values.weights)},
                          {"batch_norms", BytesOf(values.batch_norms)},
                          {"running", BytesOf(values.running)},
                          {"momentum/weights", BytesOf(momentum.weights)},
                          {"momentum/batch_norms", BytesOf(momentum.batch_norms)}};
  }

  absl::Status SetState(const TrainingArrays& arrays) override {
    ResNetValues values;
    ASSIGN_OR_RETURN(values.weights, NumbersOf(arrays, "weights"));
    ASSIGN_OR_RETURN(values.batch_norms, NumbersOf(arrays, "batch_norms"));
    ASSIGN_OR_RETURN(values.running, NumbersOf(arrays, "running"));
    RETURN_IF_ERROR(step_->SetValues(values));
    ResNetValues momentum;
    ASSIGN_OR_RETURN(momentum.weights, NumbersOf(arrays, "momentum/weights"));
    ASSIGN_OR_RETURN(momentum.batch_norms, NumbersOf(arrays, "momentum/batch_norms"));
    return step_->SetMomentum(momentum);
  }

  void Describe(proto::SweepPoint& point) const override {
    point.set_timing_method("cuda events around the epoch");
    point.set_predicted_memory_bytes(predicted_bytes_);
    point.set_peak_memory_bytes(bytes());
    point.set_timed_peak_memory_bytes(bytes());
    point.set_available_memory_bytes(AvailableMemoryBytes(input_.device) + bytes());
    for (proto::Samples* part : {point.mutable_copy_seconds(), point.mutable_forward_seconds(),
                                 point.mutable_backward_seconds(), point.mutable_optimizer_seconds()}) {
      part->clear_value();
      part->set_absent_reason("not timed individually; see the parts of a step");
    }
  }

 private:
  FusedTrainer(const TrainerInput& input, std::unique_ptr<ResNetStep> step)
      : input_(input), images_(ImagesOf(input)),
        steps_(StepsPerEpoch(images_, input.loader.batch_size, ToDropLast(input.loader.drop_last))),
        step_(std::move(step)), epochs_(*step_, input.loader.batch_size, input.spec.cuda_graph()) {}

  // Uploads the sets to evaluate on, after which no evaluation allocates memory.
  absl::Status PrepareEvaluations(uint32_t image_size) {
    for (const EvaluatedImages& evaluated : input_.evaluated) {
      const ResidentImages images = ToResident(evaluated);
      const EvaluatedViews views = evaluated.mirrored ? EvaluatedViews::kPlainAndMirrored : EvaluatedViews::kPlain;
      std::unique_ptr<ResNetEvaluation> evaluation;  // null: no image
      if (images.count != 0) {
        predicted_bytes_ += EvaluationImages::PredictBytes(image_size, images.count);
        ASSIGN_OR_RETURN(evaluation,
                         ResNetEvaluation::Make(*step_, images, image_size, views, input_.spec.cuda_graph()));
      }
      evaluations_.push_back(std::move(evaluation));
    }
    return absl::OkStatus();
  }

  // Returns the device memory taken.
  uint64_t bytes() const {
    uint64_t sum = step_->bytes();
    for (const std::unique_ptr<ResNetEvaluation>& evaluation : evaluations_) {
      sum += evaluation == nullptr ? 0 : evaluation->bytes();
    }
    return sum;
  }

  std::function<float(uint32_t)> Rates(uint32_t epoch) const {
    return
        [this, epoch](uint32_t step) { return static_cast<float>(LearningRateOf(input_.spec, steps_, epoch, step)); };
  }

  const TrainerInput input_;
  const uint32_t images_;  // images of an epoch
  const uint32_t steps_;   // steps of an epoch
  const std::unique_ptr<ResNetStep> step_;
  ResNetEpochs epochs_;
  std::vector<std::unique_ptr<ResNetEvaluation>> evaluations_;  // one per set of input_.evaluated
  uint64_t predicted_bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EpochTrainer>> MakeFusedTrainer(const TrainerInput& input) {
  return FusedTrainer::Make(input);
}

}  // namespace lockstep
