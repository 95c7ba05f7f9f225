#include "lib/train/epoch_runner.h"

#include <utility>

#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/device/torch_status.h"

namespace lockstep {
namespace {

EpochTimes ToEpochTimes(const EpochTotals& totals) {
  const PhaseTimes& phases = totals.times;
  EpochTimes times;
  times.epoch_seconds = phases.wall;
  times.data_wait_seconds = phases[Phase::kDataWait];
  times.copy_seconds = phases[Phase::kCopy];
  times.forward_seconds = phases[Phase::kForward];
  times.backward_seconds = phases[Phase::kBackward];
  times.optimizer_seconds = phases[Phase::kOptimizer];
  times.step_seconds = times.copy_seconds + times.forward_seconds + times.backward_seconds + times.optimizer_seconds;
  times.steps_seconds = phases.step;
  times.steps = totals.steps;
  times.images = totals.images;
  times.mean_loss = totals.mean_loss;
  times.accuracy = totals.accuracy;
  return times;
}

}  // namespace

absl::Status LoadedBatches::Start(uint32_t epoch, std::vector<uint32_t> order) {
  loader_.StartEpoch(epoch, std::move(order));
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> LoadedBatches::Next() {
  ASSIGN_OR_RETURN(const bool more, loader_.Next(&batch_));
  return more ? batch_.size : 0;
}

absl::Status LoadedBatches::Train(TrainStep& step, GradientHook* hook) { return step.Run(batch_, hook); }

absl::StatusOr<EpochTimes> RunEpoch(TrainStep& step, EpochBatches& batches, uint32_t epoch, std::vector<uint32_t> order,
                                    GradientHook* hook, Progress* progress, uint64_t images_before,
                                    const std::function<double(uint32_t)>& rate) {
  RETURN_IF_ERROR(CatchTorchErrors("the start of an epoch", [&] {
    step.BeginEpoch();
    return batches.Start(epoch, std::move(order));
  }));
  uint64_t images = images_before;
  for (uint32_t i = 0;; ++i) {
    RETURN_IF_ERROR(CheckNotStopped());
    ASSIGN_OR_RETURN(const uint32_t size, batches.Next());
    if (size == 0) {
      break;
    }
    if (rate) {
      step.optimizer().set_learning_rate(rate(i));
    }
    RETURN_IF_ERROR(batches.Train(step, hook));
    images += size;
    if (progress != nullptr) {
      progress->Update(images);
    }
  }
  ASSIGN_OR_RETURN(const EpochTotals totals, step.EndEpoch());
  return ToEpochTimes(totals);
}

absl::StatusOr<EpochTimes> RunEpoch(TrainStep& step, BatchLoader& loader, uint32_t epoch, std::vector<uint32_t> order,
                                    GradientHook* hook, Progress* progress, uint64_t images_before,
                                    const std::function<double(uint32_t)>& rate) {
  LoadedBatches batches(loader);
  return RunEpoch(step, batches, epoch, std::move(order), hook, progress, images_before, rate);
}

}  // namespace lockstep
