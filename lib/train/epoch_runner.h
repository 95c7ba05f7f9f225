// One training epoch: feeds batches from the loader to training steps. Measures both of the lab's times: with and
// without the wait for data.
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

// Times of one epoch in seconds. The phases leave no gap:
//
//   step = copy + forward + backward + optimizer
//   epoch = step + data_wait
//
// On a CPU the sums are exact to within microseconds. On CUDA the phases are measured by the device's clock
// (lib/train/phase_clock.h) and the epoch by the host's, which adds the launch of the first event and the wait for the
// last.
struct EpochTimes {
  double epoch_seconds = 0;      // time from the request for the first batch until the device has finished
  double step_seconds = 0;       // time without waiting for data
  double data_wait_seconds = 0;  // between steps: waiting for the loader, and the loop's own microseconds
  double copy_seconds = 0;       // host-to-device copy; on a CPU only microseconds
  double forward_seconds = 0;    // forward pass, loss, and release of the old gradients
  double backward_seconds = 0;   // backward pass and gradient hook
  double optimizer_seconds = 0;
  std::vector<double> steps_seconds;  // seconds of each step, in order; empty if the steps are not timed individually
  uint32_t steps = 0;
  uint64_t images = 0;
  double mean_loss = 0;  // see EpochTotals
  double accuracy = 0;
};

// Source of the batches of an epoch.
class EpochBatches {
 public:
  virtual ~EpochBatches() = default;

  // Begins an epoch over the images whose indices are in `order`.
  virtual absl::Status Start(uint32_t epoch, std::vector<uint32_t> order) = 0;

  // Goes to the next batch. Returns its number of images, or 0 at the end of the epoch.
  virtual absl::StatusOr<uint32_t> Next() = 0;

  // Trains on this batch.
  virtual absl::Status Train(TrainStep& step, GradientHook* hook) = 0;
};

// Batches that the threads of a BatchLoader prepare. `loader` must outlive this object.
class LoadedBatches : public EpochBatches {
 public:
  explicit LoadedBatches(BatchLoader& loader) : loader_(loader) {}

  absl::Status Start(uint32_t epoch, std::vector<uint32_t> order) override;
  absl::StatusOr<uint32_t> Next() override;
  absl::Status Train(TrainStep& step, GradientHook* hook) override;

 private:
  BatchLoader& loader_;
  Batch batch_;
};

// Trains one epoch over `order`. `hook` and `progress` may be null. `progress` is updated with `images_before` plus the
// images so far. `rate(s)` is the learning rate of step s of the epoch; if `rate` is empty, the optimizer's rate stays
// unchanged. Returns CancelledError at a stop signal, after the current step. Other errors are those of the batches,
// TrainStep and the hook.
absl::StatusOr<EpochTimes> RunEpoch(TrainStep& step, EpochBatches& batches, uint32_t epoch, std::vector<uint32_t> order,
                                    GradientHook* hook, Progress* progress, uint64_t images_before,
                                    const std::function<double(uint32_t step)>& rate);

// The same with the batches of `loader`.
absl::StatusOr<EpochTimes> RunEpoch(TrainStep& step, BatchLoader& loader, uint32_t epoch, std::vector<uint32_t> order,
                                    GradientHook* hook = nullptr, Progress* progress = nullptr,
                                    uint64_t images_before = 0,
                                    const std::function<double(uint32_t step)>& rate = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_EPOCH_RUNNER_H_
