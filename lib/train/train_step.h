// One training step of one model on one device: copy, forward, cross entropy, backward, SGD; timed without ever waiting for
// the device inside an epoch.
#ifndef LOCKSTEP_LIB_TRAIN_TRAIN_STEP_H_
#define LOCKSTEP_LIB_TRAIN_TRAIN_STEP_H_

#include <c10/core/Device.h>

#include <cstdint>
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
#include "lib/train/phase_clock.h"
#include "lib/train/sgd.h"

namespace lockstep {

// OK when TrainStep, or for FUSED lib/fused, can do what the spec asks for; InvalidArgument names the flag otherwise. TrainStep
// computes in fp32, or in bf16 as torch.autocast does (lib/nn/autocast.h): weights, gradients and the update stay fp32; in NCHW or
// channels-last. On CUDA also in TF32 (lib/nn/tf32.h), and as a CUDA graph.
absl::Status CheckTrainingSpec(const proto::TrainingSpec& spec);

// What a network is trained with unless told otherwise. resnet18: 0.1, as the lab asks. lenet5, with or without bias: 0.01;
// PyTorch's CIFAR-10 tutorial trains that network with 0.001 at batch 4, which scales to 0.008 at the ladder's first batch
// of 32, and 0.1 leaves it at chance.
double DefaultLearningRate(const std::string& model);

// What the steps since BeginEpoch did.
struct EpochTotals {
  PhaseTimes times;
  uint32_t steps = 0;
  uint64_t images = 0;
  double mean_loss = 0;  // over the images, each with the weights of its own step; 0 without images
  double accuracy = 0;   // likewise: fraction of images whose largest logit was the label's, in training mode
};

// Not thread-safe: one thread trains. SetNumerics (lib/device/device.h) comes first.
class TrainStep {
 public:
  // Moves the model to the device, and its weights to the order in memory that the spec wants. `spec` has passed
  // CheckTrainingSpec. A step computes `micro_batch` images at a time and adds up their gradients, so that a batch needs the
  // memory of a micro-batch, which is also what batch norm takes its statistics over; 0: the whole batch at once. Throws
  // c10::Error when the device has no room: call it, and destroy it, inside CatchTorchErrors (lib/device/torch_status.h).
  TrainStep(std::shared_ptr<Model> model, const proto::TrainingSpec& spec, c10::Device device,
            uint32_t micro_batch = 0);

  // From here on a step of so many images, with this hook, is one replay of a CUDA graph (captured_steps.h, which says what
  // hook and rank are): the same kernels, the learning rate rounded to fp32, and no time of its own for forward, backward and
  // update: all are PhaseTimes' forward. On CUDA, outside of an epoch, without micro-batches. Errors as Run's.
  absl::Status Capture(uint32_t images, GradientHook* hook = nullptr, uint32_t rank = 0);

  // Starts the clock of an epoch. The model is put in training mode.
  void BeginEpoch();

  // One step on one batch: the gradient is of the mean loss over the batch. `hook` may be null; with micro-batches it takes
  // part in the last one's backward pass, which leaves the sum of all. The time of its two calls counts as backward. On CUDA returns when the step is queued; `batch` may be used again at once.
  // ResourceExhausted: out of memory. The hook's errors are passed on. After an error the step is not to be used again.
  absl::Status Run(const Batch& batch, GradientHook* hook = nullptr);

  // Waits for the device, stops the clock, then reads the losses and counts what was right (untimed).
  absl::StatusOr<EpochTotals> EndEpoch();

  Model& model() { return *model_; }
  Sgd& optimizer() { return sgd_; }
  c10::Device device() const { return device_; }
  std::string TimingMethod() const { return clock_.Method(); }

 private:
  // The batch from image `first` on, n of them.
  torch::Tensor CopyImages(const Batch& batch, uint32_t first, uint32_t n);  // float (n, 3, 32, 32) on the device
  torch::Tensor CopyLabels(const Batch& batch, uint32_t first, uint32_t n);  // int64 (n) on the device
  absl::Status AddGradients(const Batch& batch, uint32_t first, uint32_t n, GradientHook* hook);
  ForwardResult Forward(const torch::Tensor& images, const torch::Tensor& labels);
  absl::Status Backward(const torch::Tensor& loss, GradientHook* hook);
  absl::Status RunEager(const Batch& batch, GradientHook* hook);
  absl::Status RunCaptured(const Batch& batch);

  const std::shared_ptr<Model> model_;
  const c10::Device device_;
  const uint32_t micro_batch_;
  const bool bf16_;
  const bool tf32_;
  const double label_smoothing_;
  const at::MemoryFormat memory_format_;
  Sgd sgd_;
  CapturedSteps captured_;
  PhaseClock clock_;

  uint32_t steps_ = 0;   // of this epoch
  uint64_t images_ = 0;  // of this epoch
  // What this epoch's steps gave, but for replays, kept on the device until its end. 10 logits and a loss an image cost
  // 2 MB per 50,000 images.
  std::vector<torch::Tensor> logits_;  // (n, kClasses) each, float or bf16, one for each micro-batch
  std::vector<torch::Tensor> losses_;  // float () each
  std::vector<uint32_t> sizes_;        // n
  std::vector<int64_t> labels_;        // of their images
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAIN_STEP_H_
