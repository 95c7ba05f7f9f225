#include "lib/train/autograd_trainer.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/nn/activation_bytes.h"
#include "lib/train/autograd_state.h"
#include "lib/train/resident_batches.h"
#include "lib/train/schedule.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

// Returns the number of images to compute at a time; 0: the whole batch.
uint32_t MicroBatch(const TrainerInput& input) {
  return input.spec.accumulate() > 1 ? input.loader.batch_size / input.spec.accumulate() : 0;
}

// Returns the predicted bytes of device memory (memory.h), or 0 on a CPU, where the peak is that of the whole process.
// Counts a temporary model, because counting changes the model.
uint64_t Predict(const TrainerInput& input) {
  if (!input.device.is_cuda()) {
    return 0;
  }
  const absl::StatusOr<std::shared_ptr<Model>> model = MakePlannedModel(input.spec, input.model->shape());
  if (!model.ok()) {
    return 0;
  }
  constexpr uint64_t kCopies = 3;  // weights, gradients, momentum
  const ActivationBytes activations =
      CountActivationBytes(**model, input.spec.precision() == proto::BF16 ? AutocastMode::kBf16 : AutocastMode::kOff);
  uint64_t bytes = activations.fixed;
  for (const torch::Tensor& parameter : (*model)->parameters()) {
    bytes += kCopies * parameter.nbytes();
  }
  for (const torch::Tensor& buffer : (*model)->buffers()) {
    bytes += buffer.nbytes();
  }
  if (input.spec.resident_images()) {
    bytes += ResidentBytes(*input.images);
  }
  const uint32_t parts = std::max(input.spec.accumulate(), 1u);
  return bytes + activations.per_image * (input.loader.batch_size / parts);
}

// Batches that are made on the GPU, for a captured step.
class BatchesOnDevice : public EpochBatches {
 public:
  BatchesOnDevice(std::unique_ptr<ResidentBatches> batches, uint32_t batch, bool drop_last)
      : batches_(std::move(batches)), batch_(batch), drop_last_(drop_last) {}

  absl::Status Start(uint32_t epoch, std::vector<uint32_t> order) override {
    first_ = 0;
    size_ = 0;
    images_ = static_cast<uint32_t>(order.size());
    return batches_->StartEpoch(epoch, order);
  }

  absl::StatusOr<uint32_t> Next() override {
    first_ += size_;
    size_ = std::min(batch_, images_ - first_);
    if (drop_last_ && size_ < batch_) {
      size_ = 0;
    }
    return size_;
  }

  absl::Status Train(TrainStep& step, GradientHook* hook) override {
    return step.RunFilled(size_, hook, [this](const CapturedSteps::Inputs& inputs) {
      return batches_->Fill(first_, inputs.images, inputs.labels);
    });
  }

 private:
  const std::unique_ptr<ResidentBatches> batches_;
  const uint32_t batch_;
  const bool drop_last_;
  uint32_t images_ = 0;  // images of the epoch
  uint32_t first_ = 0;   // the batch is `size_` images from this place of the order on
  uint32_t size_ = 0;
};

class AutogradTrainer : public EpochTrainer {
 public:
  explicit AutogradTrainer(const TrainerInput& input)
      : input_(input), step_(input.model, input.spec, input.device, MicroBatch(input)), images_(ImagesOf(input)),
        batch_(input.loader.batch_size), drop_last_(input.loader.drop_last), predicted_bytes_(Predict(input)) {}

  absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) override {
    RETURN_IF_ERROR(MakeBatches());
    RETURN_IF_ERROR(Join());
    RETURN_IF_ERROR(Capture());
    if (epoch == spec_.warmup_epochs()) {  // tuning during the warm-up epochs is over
      peak_before_ = PeakMemoryBytes(step_.device());
      ResetPeakMemory(step_.device());
    }
    timed_ = epoch >= spec_.warmup_epochs();
    const uint32_t steps = StepsPerEpoch(images_, batch_, ToDropLast(drop_last_));
    return RunEpoch(step_, *batches_, epoch, OrderOf(input_, epoch), hook_, &progress, uint64_t{epoch} * images_,
                    [&](uint32_t step) { return LearningRateOf(spec_, steps, epoch, step); });
  }

  absl::Status UpdateModel() override { return absl::OkStatus(); }  // the input's model is the one that is trained

  absl::StatusOr<TrainingArrays> GetState() override { return ReadAutogradState(step_.model(), step_.optimizer()); }

  absl::Status SetState(const TrainingArrays& arrays) override {
    return WriteAutogradState(arrays, step_.model(), step_.optimizer());
  }

  void Describe(proto::SweepPoint& point) const override {
    point.set_timing_method(step_.TimingMethod());
    const uint64_t peak = PeakMemoryBytes(step_.device());
    point.set_peak_memory_bytes(std::max({point.peak_memory_bytes(), peak, peak_before_}));
    if (timed_) {
      point.set_timed_peak_memory_bytes(std::max(point.timed_peak_memory_bytes(), peak));
    }
    point.set_predicted_memory_bytes(predicted_bytes_);
    point.set_available_memory_bytes(AvailableMemoryBytes(step_.device()));
    if (!spec_.cuda_graph()) {
      return;
    }
    for (proto::Samples* part :
         {point.mutable_forward_seconds(), point.mutable_backward_seconds(), point.mutable_optimizer_seconds()}) {
      part->clear_value();
      part->set_absent_reason("forward, backward and update are one CUDA graph");
    }
  }

 private:
  // Makes, once, the source of the batches. The data set is copied to the device here, before an epoch is timed.
  absl::Status MakeBatches() {
    if (batches_ != nullptr) {
      return absl::OkStatus();
    }
    if (!spec_.resident_images()) {
      loader_ = std::make_unique<BatchLoader>(*input_.images, input_.loader);
      batches_ = std::make_unique<LoadedBatches>(*loader_);
      return absl::OkStatus();
    }
    return CatchTorchErrors(
        "copying the data set to the GPU (--resident_images=false leaves it on the host)", [&]() -> absl::Status {
          ASSIGN_OR_RETURN(auto resident, ResidentBatches::Make(*input_.images, input_.loader, step_.device()));
          batches_ = std::make_unique<BatchesOnDevice>(std::move(resident), batch_, drop_last_);
          return absl::OkStatus();
        });
  }

  // Gets the group's gradient hook once, if there is a group.
  absl::Status Join() {
    if (input_.group != nullptr && !joined_) {
      ASSIGN_OR_RETURN(hook_, input_.group->MakeHook(step_.model()));
      joined_ = true;
    }
    return absl::OkStatus();
  }

  // Captures, once, the graphs of a full batch and of the last, shorter batch. Must be called outside an epoch's timed
  // part.
  absl::Status Capture() {
    const uint32_t tail = drop_last_ ? 0 : images_ % batch_;
    for (const uint32_t images : {images_ < batch_ ? 0 : batch_, tail}) {
      if (spec_.cuda_graph() && images != 0) {
        RETURN_IF_ERROR(step_.Capture(images, hook_, input_.group != nullptr ? input_.group->rank() : 0));
      }
    }
    return absl::OkStatus();
  }

  const TrainerInput input_;
  const proto::TrainingSpec& spec_ = input_.spec;
  TrainStep step_;
  std::unique_ptr<BatchLoader> loader_;  // null with resident_images
  std::unique_ptr<EpochBatches> batches_;
  const uint32_t images_;
  const uint32_t batch_;
  const bool drop_last_;
  const uint64_t predicted_bytes_;
  bool joined_ = false;
  GradientHook* hook_ = nullptr;  // the group's hook
  uint64_t peak_before_ = 0;      // peak memory of the epochs that are not timed
  bool timed_ = false;            // the last epoch was timed
};

}  // namespace

std::unique_ptr<EpochTrainer> MakeAutogradTrainer(const TrainerInput& input) {
  return std::make_unique<AutogradTrainer>(input);
}

}  // namespace lockstep
