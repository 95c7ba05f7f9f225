// One training step of ResNet-18 on one GPU without autograd: every launch written down, in the order that the data
// wants.
//
//   the batch, from the resident data set
//     -> 20 convolutions, each with its batch norm (+ shortcut) + ReLU     resnet18_forward.h
//     -> classifier and loss
//     -> the same backward                                                 resnet18_backward.h
//     -> SGD over all parameters                                           resnet18_update.h
//
// The next step's batch is made beside the classifier, or beside what is left of the update when the backward pass has
// ended.
//
// What is won over LibTorch's autograd: batch norm, shortcut and ReLU fused (lib/kernels/batch_norm.h); no allocation,
// no host work between launches, so that a CUDA graph can hold the step; weight gradients beside data gradients on a
// second stream, shortcuts on a third, and SGD of the last layers, whose gradients come first, beside the others'.
// lib/train/train_step.h is the plain twin, and lib/train/fused_step_test compares them.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_STEP_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_STEP_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/resnet18_step_options.h"
#include "lib/fused/resnet18_units.h"
#include "lib/fused/resnet18_values.h"
#include "lib/fused/step_mark_tables.h"

namespace lockstep {

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

  // What was chosen for it, in the order of the network; none for a batch that was not prepared.
  virtual std::vector<UnitKernels> Kernels(uint32_t batch) const = 0;

  // The values of another network, its momentum forgotten.
  virtual absl::Status SetValues(const ResNet18Values& values) = 0;
  virtual absl::StatusOr<ResNet18Values> GetValues() = 0;
  virtual absl::Status SetMomentum(const ResNet18Values& momentum) = 0;  // `running` is not looked at; after SetValues
  virtual absl::StatusOr<ResNet18Values> GetMomentum() = 0;              // `running` stays empty
  virtual absl::StatusOr<ResNet18Values> GetGradients() = 0;  // the last (micro-)batch's; `running` stays empty

  // Where an epoch begins: its order, its number (which the augmentation knows it by), and the learning rate of each
  // step.
  virtual absl::Status BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch,
                                  const std::vector<float>& rates) = 0;

  // Queues `steps` steps of `batch` images, which was prepared, from where the last one ended. Can be captured.
  virtual absl::Status Enqueue(uint32_t batch, uint32_t steps) = 0;

  // From here on a queued step notes the GPU's clock (step_marks.h); without tables it does not. With several
  // micro-batches the marks are the last one's.
  virtual void SetMarks(const StepMarkTables& marks) = 0;

  virtual absl::StatusOr<ResNet18Counts> EndEpoch() = 0;

  virtual cudaStream_t stream() const = 0;
  virtual size_t bytes() const = 0;  // device memory taken so far
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_STEP_H_
