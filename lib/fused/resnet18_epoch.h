// An epoch of ResNet-18 steps as replays of CUDA graphs: of several full batches each, since between two replays the
// GPU waits for some microseconds, of one full batch for what they leave, and of the tail.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_EPOCH_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_EPOCH_H_

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/resnet18_step.h"
#include "lib/kernels/captured_graph.h"

namespace lockstep {

struct FusedEpoch {
  double seconds = 0;         // host clock: from the upload of the order until the device is done
  double device_seconds = 0;  // CUDA events: from the first step's begin to the last one's end
  uint32_t steps = 0;
  uint64_t images = 0;
  double mean_loss = 0;         // over the images, each with the weights of its own step
  double accuracy = 0;          // fraction of images, while training
  std::vector<uint64_t> marks;  // (steps, kStepMarks) nanoseconds of the GPU's clock (step_marks.h); empty: not marked
  std::vector<uint64_t> range_marks;  // (steps, kExchangeMarks): the same of what is exchanged
};

class ResNet18Epochs {
 public:
  // `step` outlives this. `batch`: at most the step's largest.
  ResNet18Epochs(ResNet18Step& step, uint32_t batch, bool use_graphs)
      : step_(step), batch_(batch), use_graphs_(use_graphs) {}
  ~ResNet18Epochs();
  ResNet18Epochs(const ResNet18Epochs&) = delete;
  ResNet18Epochs& operator=(const ResNet18Epochs&) = delete;

  // Chooses engines for the batch and for the tail that `images` leave. Their graphs are captured when the first epoch
  // comes to them, since a graph holds the epoch's number of steps.
  absl::Status Prepare(uint32_t images, bool drop_last);

  // Trains over `order`, whose length Prepare was told. rate(s): the learning rate of step s of the epoch. `done`,
  // called with the number of images that are queued, may be empty. Cancelled at a stop signal.
  absl::StatusOr<FusedEpoch> Train(const std::vector<uint32_t>& order, uint32_t epoch,
                                   const std::function<float(uint32_t)>& rate,
                                   const std::function<void(uint64_t)>& done = nullptr);

  // The same with marks, by graphs of their own, which are captured before the clock starts and dropped afterwards:
  // those of Train, which are not marked, stay as they are. `captured`, called in between, may be empty; its errors are
  // passed on. FailedPrecondition: nothing has been trained yet.
  absl::StatusOr<FusedEpoch> TrainMarked(const std::vector<uint32_t>& order, uint32_t epoch,
                                         const std::function<float(uint32_t)>& rate,
                                         const std::function<absl::Status()>& captured = nullptr);

 private:
  using Graphs =
      std::map<std::pair<uint32_t, uint32_t>, CapturedGraph>;  // by batch size and steps; null: not yet captured

  uint32_t StepsOf(size_t images) const;
  absl::Status Capture(uint32_t batch, uint32_t steps);
  absl::Status RunSteps(uint32_t batch, uint32_t steps);
  absl::Status Look(uint32_t number);  // from 1 on in each epoch
  absl::Status CaptureMarked(const Graphs& like);

  ResNet18Step& step_;
  const uint32_t batch_;
  const bool use_graphs_;
  bool drop_last_ = false;
  bool trained_ = false;
  Graphs graphs_;
  cudaEvent_t begin_ = nullptr;  // where the steps of an epoch begin and end
  cudaEvent_t end_ = nullptr;
  std::array<cudaEvent_t, 2> looks_ = {};  // the last two
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_EPOCH_H_
