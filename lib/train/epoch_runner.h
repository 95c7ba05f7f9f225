// One epoch: batches from the loader into training steps, with both of the lab's clocks.
#ifndef LOCKSTEP_LIB_TRAIN_EPOCH_RUNNER_H_
#define LOCKSTEP_LIB_TRAIN_EPOCH_RUNNER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/progress.h"
#include "lib/dataset/batch_loader.h"
#include "lib/train/gradient_hook.h"
#include "lib/train/train_step.h"

namespace lockstep {

// Seconds of one epoch. The parts leave no gap: step = copy + forward + backward + optimizer, and step + data_wait = epoch,
// exactly on a CPU but for microseconds; on CUDA the parts are the device's (lib/train/phase_clock.h) and the epoch the
// host's, which adds the launch of the first event and the wait for the last.
struct EpochTimes {
  double epoch_seconds = 0;      // from asking for the first batch until the device is done
  double step_seconds = 0;       // without waiting for data
  double data_wait_seconds = 0;  // between steps: waiting for the loader, and the loop's own microseconds
  double copy_seconds = 0;       // host to device; 0 but for microseconds on a CPU
  double forward_seconds = 0;    // loss included, and dropping the old gradients
  double backward_seconds = 0;   // the hook included
  double optimizer_seconds = 0;
  std::vector<double> steps_seconds;  // of each step, in order; empty where steps are not timed one by one
  uint32_t steps = 0;
  uint64_t images = 0;
  double mean_loss = 0;  // see EpochTotals
  double accuracy = 0;
};

// Trains one epoch over `order`. `hook` and `progress` may be null; progress shows images_before + images so far. rate(s) is
// the learning rate of step s of the epoch; empty: the optimizer's stays as it is. Cancelled at a stop signal, after the step
// that was running. Other errors are the loader's, TrainStep's, or the hook's.
absl::StatusOr<EpochTimes> RunEpoch(TrainStep& step, BatchLoader& loader, uint32_t epoch, std::vector<uint32_t> order,
                                    GradientHook* hook = nullptr, Progress* progress = nullptr,
                                    uint64_t images_before = 0,
                                    const std::function<double(uint32_t step)>& rate = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EPOCH_RUNNER_H_
