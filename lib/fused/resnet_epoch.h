// ResNetEpochs: an epoch of ResNet steps as replays of CUDA graphs. Between two replays the GPU waits for some
// microseconds, so one graph holds several full batches. A graph of one full batch takes the remaining full batches,
// and another graph takes the tail.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_EPOCH_H_
#define LOCKSTEP_LIB_FUSED_RESNET_EPOCH_H_

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/cuda/captured_graph.h"
#include "lib/dataset/drop_last.h"
#include "lib/fused/resnet_step.h"

namespace lockstep {

struct FusedEpoch {
  double seconds = 0;         // host clock: from the upload of the order until the device is done
  double device_seconds = 0;  // CUDA events: from the first step's begin to the last one's end
  uint32_t steps = 0;
  uint64_t images = 0;
  double mean_loss = 0;  // mean over the images, each with the weights of its own step
  double accuracy = 0;   // fraction of images classified correctly during training
  std::vector<uint64_t>
      timestamps;  // (steps, kStepTimestamps) nanoseconds of the GPU's clock (step_timestamps.h); empty: none
  std::vector<uint64_t> range_timestamps;  // (steps, kExchangeTimestamps): the same for the exchanged ranges
};

class ResNetEpochs {
 public:
  // `step` must outlive this object. `batch` must not exceed the step's max_batch.
  ResNetEpochs(ResNetStep& step, uint32_t batch, bool use_graphs)
      : step_(step), batch_(batch), use_graphs_(use_graphs) {}
  ~ResNetEpochs();
  ResNetEpochs(const ResNetEpochs&) = delete;
  ResNetEpochs& operator=(const ResNetEpochs&) = delete;

  // Chooses engines for the full batch and for the tail of `images`. Graphs are captured when the first epoch needs
  // them, because a graph contains the epoch's number of steps.
  absl::Status Prepare(uint32_t images, DropLast drop_last);

  // Trains over `order`, which must have the length that was passed to Prepare. rate(s): the learning rate of step s of
  // the epoch. `done` may be empty; called with the number of images queued so far. Returns CancelledError at a stop
  // signal.
  absl::StatusOr<FusedEpoch> Train(const std::vector<uint32_t>& order, uint32_t epoch,
                                   const std::function<float(uint32_t)>& rate,
                                   const std::function<void(uint64_t)>& done = nullptr);

  // Trains in the same way with timestamps. Uses graphs of its own, which are captured before the clock starts and
  // dropped afterwards; the graphs of Train are unchanged. `captured` may be empty; called after the capture, its
  // errors are returned. Returns FailedPreconditionError if nothing has been trained yet.
  absl::StatusOr<FusedEpoch> TrainInstrumented(const std::vector<uint32_t>& order, uint32_t epoch,
                                               const std::function<float(uint32_t)>& rate,
                                               const std::function<absl::Status()>& captured = nullptr);

 private:
  // Keyed by batch size and number of steps. Null: not yet captured.
  using Graphs = std::map<std::pair<uint32_t, uint32_t>, CapturedGraph>;

  uint32_t StepsOf(size_t images) const;
  absl::Status Capture(uint32_t batch, uint32_t steps);
  absl::Status RunSteps(uint32_t batch, uint32_t steps);
  absl::Status CheckStop(uint32_t number);  // `number` counts from 1 in each epoch
  absl::Status CaptureInstrumented(const Graphs& like);

  ResNetStep& step_;
  const uint32_t batch_;
  const bool use_graphs_;
  DropLast drop_last_ = DropLast::kNo;
  bool trained_ = false;
  Graphs graphs_;
  cudaEvent_t begin_ = nullptr;  // begin and end of an epoch's steps
  cudaEvent_t end_ = nullptr;
  std::array<cudaEvent_t, 2> stop_check_events_ = {};  // events of the last two calls of CheckStop
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_EPOCH_H_
