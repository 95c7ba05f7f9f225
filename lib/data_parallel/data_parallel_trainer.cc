#include "lib/data_parallel/data_parallel_trainer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/data_parallel/data_parallel_model.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/train/autograd_state.h"
#include "lib/train/schedule.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

absl::Status CheckSpec(const proto::TrainingSpec& spec) {
  if (spec.step() == proto::FUSED) {
    return absl::InvalidArgumentError("--mode=dp trains with autograd; --step=fused needs --mode=ddp");
  }
  if (spec.cuda_graph()) {
    return absl::InvalidArgumentError(
        "--mode=dp uses one thread per device, which a CUDA graph cannot capture; give --cuda_graph=false");
  }
  return spec.accumulate() > 1
             ? absl::InvalidArgumentError(absl::StrCat("--accumulate=", spec.accumulate(),
                                                       ": a step of --mode=dp is one batch; leave one out"))
             : absl::OkStatus();
}

absl::Status CheckDevices(const TrainerInput& input, const std::vector<c10::Device>& devices) {
  if (devices.empty() || devices[0] != input.device) {
    return absl::InvalidArgumentError(absl::StrCat("expected devices that begin with ", input.device.str(), ", found ",
                                                   devices.empty() ? "none" : devices[0].str()));
  }
  for (const c10::Device& device : devices) {
    if (device.type() != devices[0].type()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected devices of one kind, found ", devices[0].str(), " and ", device.str()));
    }
  }
  return absl::OkStatus();
}

class Trainer : public DataParallelTrainer {
 public:
  Trainer(const TrainerInput& input, const std::vector<c10::Device>& devices)
      : input_(input), devices_(devices), module_(input.model),
        model_(std::make_shared<DataParallelModel>(
            module_, devices, spec_.precision() == proto::BF16 ? AutocastMode::kBf16 : AutocastMode::kOff)),
        step_(model_, spec_, devices[0]), loader_(*input.images, input.loader),
        images_(static_cast<uint32_t>(input.images->size())) {}

  absl::Status MakeReplicas() {
    RETURN_IF_ERROR(model_->StartThreads());
    std::vector<std::shared_ptr<Model>> others;
    while (others.size() + 1 < devices_.size()) {
      ASSIGN_OR_RETURN(others.emplace_back(), MakePlannedModel(spec_, module_->shape()));
    }
    model_->MakeReplicas(std::move(others));
    return absl::OkStatus();
  }

  absl::StatusOr<EpochTimes> Train(uint32_t epoch, Progress& progress) override {
    if (epoch == spec_.warmup_epochs()) {  // end of the warm-up, whose tuning may have used more memory
      peak_before_ = Peak();
      std::for_each(devices_.begin(), devices_.end(), ResetPeakMemory);
    }
    timed_ = epoch >= spec_.warmup_epochs();
    const uint32_t steps = loader_.BatchCount();
    ASSIGN_OR_RETURN(const EpochTimes times, RunEpoch(step_, loader_, epoch, OrderOf(input_, epoch), model_.get(),
                                                      &progress, uint64_t{epoch} * images_, [&](uint32_t step) {
                                                        return LearningRateOf(spec_, steps, epoch, step);
                                                      }));
    times_ = model_->TakeTimes();
    times_.update_seconds = times.optimizer_seconds;
    return times;
  }

  absl::Status UpdateModel() override { return absl::OkStatus(); }  // the trainer trains the model itself

  absl::StatusOr<TrainingArrays> GetState() override { return ReadAutogradState(*module_, step_.optimizer()); }

  absl::Status SetState(const TrainingArrays& arrays) override {
    return WriteAutogradState(arrays, *module_, step_.optimizer());
  }

  void Describe(proto::SweepPoint& point) const override {
    point.set_timing_method(step_.TimingMethod());
    point.set_peak_memory_bytes(std::max({point.peak_memory_bytes(), Peak(), peak_before_}));
    if (timed_) {
      point.set_timed_peak_memory_bytes(std::max(point.timed_peak_memory_bytes(), Peak()));
    }
    point.set_available_memory_bytes(AvailableMemoryBytes(devices_[0]));
  }

  const DataParallelTimes& times() const override { return times_; }

 private:
  // Returns the peak of the fullest device, which is device 0 or equal to it; on a CPU that of the process.
  uint64_t Peak() const {
    uint64_t peak = 0;
    for (const c10::Device& device : devices_) {
      peak = std::max(peak, PeakMemoryBytes(device));
    }
    return peak;
  }

  const TrainerInput input_;
  const proto::TrainingSpec& spec_ = input_.spec;
  const std::vector<c10::Device> devices_;
  const std::shared_ptr<Model> module_;
  const std::shared_ptr<DataParallelModel> model_;  // wrapper of the module
  TrainStep step_;
  BatchLoader loader_;
  const uint32_t images_;
  DataParallelTimes times_;
  uint64_t peak_before_ = 0;  // peak of the untimed epochs
  bool timed_ = false;        // true if the last epoch was timed
};

}  // namespace

absl::StatusOr<std::unique_ptr<DataParallelTrainer>> MakeDataParallelTrainer(const TrainerInput& input,
                                                                             const std::vector<c10::Device>& devices) {
  RETURN_IF_ERROR(CheckSpec(input.spec));
  RETURN_IF_ERROR(CheckDevices(input, devices));
  std::unique_ptr<Trainer> trainer;
  RETURN_IF_ERROR(CatchTorchErrors(absl::StrCat("replicas on ", devices.size(), " devices"), [&] {
    trainer = std::make_unique<Trainer>(input, devices);
    return trainer->MakeReplicas();
  }));
  return trainer;
}

}  // namespace lockstep
