// One training step of ResNet-18 on one GPU without autograd: every launch written down, in the order that the data
// wants.
//
//   batch from the resident data set -> 20 convolutions, each with its batch norm (+ shortcut) + ReLU -> classifier and
//   loss
//   -> the same backward -> SGD over all parameters -> the next batch's place
//
// What is won over LibTorch's autograd: batch norm, shortcut and ReLU fused (lib/kernels/batch_norm.h); no allocation,
// no host work between launches, so that a CUDA graph can hold the step; weight gradients beside data gradients on a
// second stream, with SGD of the last layers, whose gradients come first, and shortcuts on a third.
// lib/train/train_step.h is the plain twin, and lib/train/fused_step_test compares them.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_STEP_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_STEP_H_

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/resnet18_units.h"
#include "lib/kernels/clock_mark.h"
#include "lib/kernels/convolution.h"

namespace lockstep {

struct ResNet18StepOptions {
  ConvolutionType type =
      ConvolutionType::kBf16;  // of activations and convolutions; master weights and statistics are fp32
  uint32_t max_batch = 0;      // images of the largest batch
  uint32_t micro_batch = 0;    // images computed at a time, whose gradients are added up to the batch's; 0: all
  float momentum = 0.9f;
  float weight_decay = 5e-4f;
  uint64_t seed = 0;  // of the augmentation
  bool augment = true;
  bool two_streams = true;  // weight gradients, shortcuts and most of SGD beside the rest
  bool autotune = true;     // time cuDNN's engines and our ways; false: the likeliest of each
  bool fused_sums = true;  // bf16: a batch norm's sums in the kernel of the convolution beside it, where that is faster
  // With both of these: the whole batch norm in that kernel, where that is faster; backward with
  // divide_multiprocessors.
  bool fused_norms = true;
  bool own_weight_gradients = true;  // bf16: by our kernel where that is faster than cuDNN's
  // bf16, two_streams, batches up to 512: side by side on parts of the GPU instead of in turn on all of it
  bool divide_multiprocessors = true;
  bool own_convolutions = true;  // fp32: forward and data gradients by our kernel where that is faster than cuDNN's
  bool deterministic = false;    // only engines that give the same bits every time
};

// The data set, as it is uploaded: uint8 (images, 3, 32, 32) and uint8 (images).
struct ResidentImages {
  const uint8_t* pixels = nullptr;
  const uint8_t* labels = nullptr;
  uint32_t count = 0;
  std::array<float, 3> mean = {};  // of the normalisation
  std::array<float, 3> std = {};
};

// All of a network's numbers on the host, laid out as resnet18_units.h says.
struct ResNet18Values {
  std::vector<float> weights;
  std::vector<float> norms;
  std::vector<float> running;
};

// What an epoch's steps added up.
struct ResNet18Counts {
  double loss_sum = 0;   // over the images
  uint32_t correct = 0;  // images whose largest logit was the label's
};

// Not thread-safe. All work is queued on stream(); a call that returns host data waits for it.
class ResNet18Step {
 public:
  // Takes all memory, and uploads the images. ResourceExhausted: it does not fit. Unavailable: no GPU.
  static absl::StatusOr<std::unique_ptr<ResNet18Step>> Make(const ResNet18StepOptions& options,
                                                            const ResidentImages& images);
  virtual ~ResNet18Step() = default;

  // Device memory of a step in bytes, known without a GPU: parameters and their state, activations, the data set, and
  // an estimate of the convolutions' workspaces, which depend on the engines. The CUDA context and libraries are not
  // counted.
  static size_t PredictBytes(const ResNet18StepOptions& options, uint32_t images);

  // Chooses the convolutions' engines for a batch of this size (slow: it times them) and so allows Enqueue of it.
  virtual absl::Status Prepare(uint32_t batch) = 0;

  // The values of another network, its momentum forgotten.
  virtual absl::Status SetValues(const ResNet18Values& values) = 0;
  virtual absl::StatusOr<ResNet18Values> GetValues() = 0;
  virtual absl::Status SetMomentum(const ResNet18Values& momentum) = 0;  // `running` is not looked at; after SetValues
  virtual absl::StatusOr<ResNet18Values> GetMomentum() = 0;              // `running` stays empty
  virtual absl::StatusOr<ResNet18Values> GetGradients() = 0;  // of the last (micro-)batch; `running` stays empty

  // Where an epoch begins: its order, its number (which the augmentation knows it by), and the learning rate of each
  // step.
  virtual absl::Status BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch,
                                  const std::vector<float>& rates) = 0;

  // Queues one step of `batch` images, which was prepared, from where the last one ended. Can be captured.
  virtual absl::Status Enqueue(uint32_t batch) = 0;

  // From here on a queued step notes the GPU's clock at its seams (step_marks.h), kStepMarks a row; without a table it
  // does not. Of several micro-batches the marks are the last one's.
  virtual void SetMarks(const ClockMarks& marks) = 0;

  virtual absl::StatusOr<ResNet18Counts> EndEpoch() = 0;

  virtual cudaStream_t stream() const = 0;
  virtual size_t bytes() const = 0;  // device memory taken so far
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_STEP_H_
