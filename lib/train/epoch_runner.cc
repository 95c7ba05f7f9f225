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

absl::StatusOr<EpochTimes> RunEpoch(TrainStep& step, BatchLoader& loader, uint32_t epoch, std::vector<uint32_t> order,
                                    GradientHook* hook, Progress* progress, uint64_t images_before,
                                    const std::function<double(uint32_t)>& rate) {
  RETURN_IF_ERROR(CatchTorchErrors("the start of an epoch", [&]() {
    step.BeginEpoch();
    return absl::OkStatus();
  }));
  loader.StartEpoch(epoch, std::move(order));
  Batch batch;
  uint64_t images = images_before;
  for (uint32_t i = 0;; ++i) {
    RETURN_IF_ERROR(CheckNotStopped());
    ASSIGN_OR_RETURN(const bool more, loader.Next(&batch));
    if (!more) {
      break;
    }
    if (rate) {
      step.optimizer().set_learning_rate(rate(i));
    }
    RETURN_IF_ERROR(step.Run(batch, hook));
    images += batch.size;
    if (progress != nullptr) {
      progress->Update(images);
    }
  }
  ASSIGN_OR_RETURN(const EpochTotals totals, step.EndEpoch());
  return ToEpochTimes(totals);
}

}  // namespace lockstep
