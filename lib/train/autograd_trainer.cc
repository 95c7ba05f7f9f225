#include "lib/train/autograd_trainer.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/device/device.h"
#include "lib/nn/activation_bytes.h"
#include "lib/train/schedule.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

std::string BytesOf(const at::Tensor& tensor) {
  const at::Tensor host = tensor.detach().to(at::kCPU).contiguous();
  return std::string(static_cast<const char*>(host.data_ptr()), host.nbytes());
}

// from_blob takes no const; nothing writes to it.
absl::Status Fill(const std::string& name, const TrainingArrays& arrays, const at::Tensor& tensor) {
  const auto found = arrays.find(name);
  if (found == arrays.end() || found->second.size() != tensor.nbytes()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the training state has no array ", name, " of ", tensor.nbytes(), " bytes"));
  }
  tensor.detach().copy_(at::from_blob(const_cast<char*>(found->second.data()), tensor.sizes(), tensor.scalar_type()));
  return absl::OkStatus();
}

// Images that are computed at a time; 0: all of a batch.
uint32_t MicroBatch(const TrainerInput& input) {
  return input.spec.accumulate() > 1 ? input.loader.batch_size / input.spec.accumulate() : 0;
}

// Bytes of device memory (memory.h); 0 on a CPU, where the peak is the whole process's. A model made for this is counted,
// since counting changes it.
uint64_t Predict(const TrainerInput& input) {
  if (!input.device.is_cuda()) {
    return 0;
  }
  const absl::StatusOr<std::shared_ptr<Model>> model = MakeModel(input.spec.model(), input.spec.seed());
  if (!model.ok()) {
    return 0;
  }
  constexpr uint64_t kCopies = 3;  // weights, gradients, momentum
  const ActivationBytes activations = CountActivationBytes(**model, input.spec.precision() == proto::BF16);
  uint64_t bytes = activations.fixed;
  for (const torch::Tensor& parameter : (*model)->parameters()) {
    bytes += kCopies * parameter.nbytes();
  }
  for (const torch::Tensor& buffer : (*model)->buffers()) {
    bytes += buffer.nbytes();
  }
  const uint32_t parts = std::max(input.spec.accumulate(), 1u);
  return bytes + activations.per_image * (input.loader.batch_size / parts);
}

class AutogradTrainer : public EpochTrainer {
 public:
  explicit AutogradTrainer(const TrainerInput& input)
      : input_(input), step_(input.model, input.spec, input.device, MicroBatch(input)),
        loader_(*input.images, input.loader), images_(static_cast<uint32_t>(OrderOf(input, 0).size())),
        batch_(input.loader.batch_size), drop_last_(input.loader.drop_last), predicted_bytes_(Predict(input)) {}

  absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) override {
    RETURN_IF_ERROR(Join());
    RETURN_IF_ERROR(Capture());
    if (epoch == spec_.warmup_epochs()) {  // what the first epochs' tuning tried is over
      peak_before_ = PeakMemoryBytes(step_.device());
      ResetPeakMemory(step_.device());
    }
    timed_ = epoch >= spec_.warmup_epochs();
    const uint32_t steps = StepsPerEpoch(images_, batch_, drop_last_);
    return RunEpoch(step_, loader_, epoch, OrderOf(input_, epoch), hook_, &progress, uint64_t{epoch} * images_,
                    [&](uint32_t step) { return LearningRateOf(spec_, steps, epoch, step); });
  }

  absl::Status UpdateModel() override { return absl::OkStatus(); }  // it is the one that is trained

  absl::StatusOr<TrainingArrays> GetState() override {
    TrainingArrays arrays;
    for (const auto& [name, tensor] : Tensors()) {
      arrays[name] = BytesOf(tensor);
    }
    return arrays;
  }

  absl::Status SetState(const TrainingArrays& arrays) override {
    for (const auto& [name, tensor] : Tensors()) {
      RETURN_IF_ERROR(Fill(name, arrays, tensor));
    }
    step_.optimizer().GoOn();
    return absl::OkStatus();
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
  // Once: the others' part in the steps, if there are others.
  absl::Status Join() {
    if (input_.group != nullptr && !joined_) {
      ASSIGN_OR_RETURN(hook_, input_.group->MakeHook(step_.model()));
      joined_ = true;
    }
    return absl::OkStatus();
  }

  // Once, and outside of the times of an epoch: the graphs of a full batch and of the tail.
  absl::Status Capture() {
    const uint32_t tail = drop_last_ ? 0 : images_ % batch_;
    for (const uint32_t images : {images_ < batch_ ? 0 : batch_, tail}) {
      if (spec_.cuda_graph() && images != 0) {
        RETURN_IF_ERROR(step_.Capture(images));
      }
    }
    return absl::OkStatus();
  }

  // Parameters and buffers by their own names, and "momentum/0", ... in the parameters' order.
  std::map<std::string, at::Tensor> Tensors() {
    std::map<std::string, at::Tensor> tensors;
    for (const auto& named : {step_.model().named_parameters(), step_.model().named_buffers()}) {
      for (const auto& item : named) {
        tensors[item.key()] = item.value();
      }
    }
    const std::vector<at::Tensor>& momentum = step_.optimizer().momentum();
    for (size_t i = 0; i < momentum.size(); ++i) {
      tensors[absl::StrCat("momentum/", i)] = momentum[i];
    }
    return tensors;
  }

  const TrainerInput input_;
  const proto::TrainingSpec& spec_ = input_.spec;
  TrainStep step_;
  BatchLoader loader_;
  const uint32_t images_;
  const uint32_t batch_;
  const bool drop_last_;
  const uint64_t predicted_bytes_;
  bool joined_ = false;
  GradientHook* hook_ = nullptr;  // the group's
  uint64_t peak_before_ = 0;      // of the epochs that are not timed
  bool timed_ = false;            // whether the last epoch was
};

}  // namespace

std::unique_ptr<EpochTrainer> MakeAutogradTrainer(const TrainerInput& input) {
  return std::make_unique<AutogradTrainer>(input);
}

}  // namespace lockstep
