// ResNetStep: one training step of a ResNet on one GPU without autograd. Every launch is written by hand, in the
// order that the data dependencies require.
//
//   the batch, from the resident data set
//     -> 20 convolutions, each with its batch norm (+ shortcut) + ReLU     resnet_forward.h
//     -> classifier and loss
//     -> the backward pass of both                                         resnet_backward.h
//     -> SGD over all parameters                                           resnet_update.h
//
// The next step's batch is made during the classifier, or during the rest of the update after the backward pass.
//
// Advantages over LibTorch's autograd: batch norm, shortcut and ReLU are fused (lib/kernels/batch_norm.h). There is no
// allocation and no host work between launches, so a CUDA graph can hold the step. Weight gradients run on a second
// stream and shortcuts on a third. SGD of the last layers, whose gradients come first, runs during the others'
// gradients. lib/train/train_step.h is the reference implementation; lib/train/fused_step_test compares the two.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_STEP_H_
#define LOCKSTEP_LIB_FUSED_RESNET_STEP_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/evaluation_images.h"
#include "lib/fused/resnet_step_options.h"
#include "lib/fused/resnet_units.h"
#include "lib/fused/resnet_values.h"
#include "lib/fused/step_timestamp_tables.h"

namespace lockstep {

// Not thread-safe. All work is queued on stream(); a call that returns host data waits for that work.
class ResNetStep {
 public:
  // Allocates all memory and uploads the images. Returns ResourceExhaustedError if the memory does not fit, and
  // UnavailableError without a GPU.
  static absl::StatusOr<std::unique_ptr<ResNetStep>> Make(const ResNetStepOptions& options,
                                                          const ResidentImages& images);
  virtual ~ResNetStep() = default;

  // Returns the device memory of a step in bytes, computed without a GPU: parameters and their state, activations, the
  // data set, and an estimate of the convolutions' workspaces, which depend on the engines. The CUDA context and
  // libraries are not included.
  static size_t PredictBytes(const ResNetStepOptions& options, uint32_t images);

  // Chooses the convolutions' engines for a batch of this size (slow: times them). Must precede Enqueue of this size.
  virtual absl::Status Prepare(uint32_t batch) = 0;

  // Returns the kernels chosen for `batch`, in the order of the network; empty if `batch` was not prepared.
  virtual std::vector<UnitKernels> Kernels(uint32_t batch) const = 0;

  // Uploads the values of another network and clears the momentum.
  virtual absl::Status SetValues(const ResNetValues& values) = 0;
  virtual absl::StatusOr<ResNetValues> GetValues() = 0;
  virtual absl::Status SetMomentum(const ResNetValues& momentum) = 0;  // ignores `running`; must come after SetValues
  virtual absl::StatusOr<ResNetValues> GetMomentum() = 0;              // leaves `running` empty
  virtual absl::StatusOr<ResNetValues> GetGradients() = 0;  // last (micro-)batch's gradients; leaves `running` empty

  // Begins an epoch: its image order, its number (an input of the augmentation), and the learning rate of each step.
  virtual absl::Status BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch,
                                  const std::vector<float>& rates) = 0;

  // Queues `steps` steps of `batch` images, starting where the last step ended. `batch` must be prepared. May be
  // captured.
  virtual absl::Status Enqueue(uint32_t batch, uint32_t steps) = 0;

  // Makes the steps queued from now on record the GPU's clock (step_timestamps.h); without tables they do not. With
  // several micro-batches, the timestamps are those of the last one.
  virtual void SetTimestampTables(const StepTimestampTables& tables) = 0;

  virtual absl::StatusOr<ResNetCounts> EndEpoch() = 0;

  // Evaluation of the current weights between two epochs, with running statistics and without augmentation
  // (resnet_evaluation.h). BeginEvaluation takes running statistics in the layout of resnet_units.h; empty: the step's
  // own. Each EnqueueEvaluation queues the next `count` images, at most evaluation_batch(), which must be prepared; it
  // may be captured. EndEvaluation waits for the results.
  virtual absl::Status BeginEvaluation(const std::vector<float>& running) = 0;
  virtual absl::Status EnqueueEvaluation(const EvaluationImages& images, uint32_t count, EvaluatedViews views) = 0;
  virtual absl::StatusOr<EvaluationCounts> EndEvaluation() = 0;
  virtual uint32_t evaluation_batch() const = 0;

  virtual cudaStream_t stream() const = 0;
  virtual size_t bytes() const = 0;  // device memory taken so far
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_STEP_H_
