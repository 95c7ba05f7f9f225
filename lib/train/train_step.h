// One training step of one model on one device: copy, forward, cross entropy, backward, optimizer. Its timing never
// waits for the device inside an epoch.
#ifndef LOCKSTEP_LIB_TRAIN_TRAIN_STEP_H_
#define LOCKSTEP_LIB_TRAIN_TRAIN_STEP_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/batch_loader.h"
#include "lib/nn/model.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/captured_steps.h"
#include "lib/train/gradient_hook.h"
#include "lib/train/optimizer.h"
#include "lib/train/phase_clock.h"

namespace lockstep {

// Checks that TrainStep, or lib/fused for FUSED, supports the spec. Returns InvalidArgumentError naming the flag if
// not. TrainStep supports:
// - fp32, or bf16 like torch.autocast (lib/nn/autocast.h), where weights, gradients and the update stay fp32;
// - NCHW or channels-last;
// - on CUDA also TF32 (lib/nn/tf32.h) and CUDA graphs.
absl::Status CheckTrainingSpec(const proto::TrainingSpec& spec);

// Checks that the kind of step supports the classes and the images of a data set, and that the augmentation fits the
// images. Returns InvalidArgumentError naming the flags if not: the fused step has limits for both
// (lib/fused/resnet_units.h).
absl::Status CheckStepShape(const proto::TrainingSpec& spec, const ModelShape& shape);

// Totals of the steps since BeginEpoch().
struct EpochTotals {
  PhaseTimes times;
  uint32_t steps = 0;
  uint64_t images = 0;
  // Results over the images, each with the weights of its own step, in training mode; 0 without images.
  double mean_loss = 0;
  double accuracy = 0;  // fraction of images whose largest logit is the label's
};

// Not thread-safe: one thread must train. SetNumerics (lib/device/device.h) must be called first.
class TrainStep {
 public:
  // Moves the model to the device and its weights to the memory format of the spec, which must have passed
  // CheckTrainingSpec. If `micro_batch` is not 0, a step computes that many images at a time and adds up their
  // gradients: it needs only a micro-batch's memory, and batch norm takes its statistics over a micro-batch. Throws
  // c10::Error if the device is out of memory, so a TrainStep must be created and destroyed inside CatchTorchErrors
  // (lib/device/torch_status.h).
  TrainStep(std::shared_ptr<Model> model, const proto::TrainingSpec& spec, c10::Device device,
            uint32_t micro_batch = 0);

  // Makes each later step of `images` images with this hook one replay of a CUDA graph; captured_steps.h explains hook
  // and rank. The kernels are the same. The learning rate is rounded to fp32. Forward, backward and update have no
  // separate times: PhaseTimes' forward contains all three. Must be called on CUDA, outside an epoch, and without
  // micro-batches. Returns the errors of Run().
  absl::Status Capture(uint32_t images, GradientHook* hook = nullptr, uint32_t rank = 0);

  // Starts the clock of an epoch and puts the model into training mode.
  void BeginEpoch();

  // Trains on one batch; the gradient is that of the mean loss over the batch. `hook` may be null. With micro-batches,
  // the hook takes part in the last backward pass, which leaves the sum of all gradients. The time of its two calls
  // counts as backward. On CUDA, returns when the step is queued; `batch` may be reused at once. Returns
  // ResourceExhaustedError if memory runs out, and the hook's errors. The step must not be used again after an error.
  absl::Status Run(const Batch& batch, GradientHook* hook = nullptr);

  // The same for a batch that `fill` writes to the inputs of the captured step, on the device and queued on the current
  // stream. Returns FailedPreconditionError if no step of `images` images was captured with this hook.
  using Fill = std::function<absl::Status(const CapturedSteps::Inputs&)>;
  absl::Status RunFilled(uint32_t images, GradientHook* hook, const Fill& fill);

  // Waits for the device, stops the clock, then (untimed) reads the losses and counts the correct predictions.
  absl::StatusOr<EpochTotals> EndEpoch();

  Model& model() { return *model_; }
  Optimizer& optimizer() { return *optimizer_; }
  c10::Device device() const { return device_; }
  std::string TimingMethod() const { return clock_.Method(); }

 private:
  // Copies of images `first` to `first + n - 1` of the batch.
  torch::Tensor CopyImages(const Batch& batch, uint32_t first, uint32_t n);  // float (n, 3, H, W) on the device
  torch::Tensor CopyLabels(const Batch& batch, uint32_t first, uint32_t n);  // int64 (n) on the device
  absl::Status AddGradients(const Batch& batch, uint32_t first, uint32_t n, GradientHook* hook);
  ForwardResult Forward(const torch::Tensor& images, const torch::Tensor& labels);
  absl::Status Backward(const torch::Tensor& loss, GradientHook* hook);
  absl::Status RunEager(const Batch& batch, GradientHook* hook);
  absl::Status CopyTo(const CapturedSteps::Inputs& inputs, const Batch& batch);
  absl::Status RunCaptured(uint32_t images, const Fill& fill);
  absl::Status RunStep(uint32_t images, const std::function<absl::Status()>& run);

  const std::shared_ptr<Model> model_;
  const c10::Device device_;
  const uint32_t micro_batch_;
  const bool bf16_;
  const bool tf32_;
  const double label_smoothing_;
  const at::MemoryFormat memory_format_;
  const std::unique_ptr<Optimizer> optimizer_;
  CapturedSteps captured_;
  PhaseClock clock_;

  uint32_t steps_ = 0;   // steps of this epoch
  uint64_t images_ = 0;  // images of this epoch
  // Results of this epoch's steps, except for replays, on the device until the epoch ends. 10 logits per image and a
  // loss take 2 MB per 50,000 images.
  std::vector<torch::Tensor> logits_;  // (n, classes) each, float or bf16, one for each micro-batch
  std::vector<torch::Tensor> losses_;  // float () each
  std::vector<uint32_t> sizes_;        // n of each entry of logits_
  std::vector<int64_t> labels_;        // labels of the images in logits_
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAIN_STEP_H_
