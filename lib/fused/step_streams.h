// StepStreams: the streams of a training step, each with the workspaces of its launches.
//
//   stream            work                                                                            priority
//   main              forward; in the backward pass the chain of data gradients and batch norms       high
//   side              weight gradients; SGD of most weights                                           least
//   branch            shortcuts; with partitioned SMs also the classifier's parameters                high
//   shortcut_weights  with partitioned SMs the weight gradients of the shortcuts                      least
//   sums              with partitioned SMs the sums of weight gradients' split-K partials             least
//   update            SGD of batch norms; with partitioned SMs also of layers 3 and 4                 least
//   tail              the rest of the update after the backward pass                                  greatest
//
// `side` and `update` have the least priority: if several streams have blocks waiting, the chain of data gradients goes
// first, with the shortcuts that it waits for. `tail` runs concurrently with the next step's batch, which is large and
// can wait.
#ifndef LOCKSTEP_LIB_FUSED_STEP_STREAMS_H_
#define LOCKSTEP_LIB_FUSED_STEP_STREAMS_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "lib/kernels/convolution.h"

namespace lockstep {

struct StepStream {
  cudaStream_t handle = nullptr;
  std::unique_ptr<ConvolutionContext> context;
  void* convolution_workspace = nullptr;
  size_t workspace_bytes = 0;            // bytes of convolution_workspace
  void* batch_norm_workspace = nullptr;  // not owned; null: no batch norm runs on this stream
};

// Not thread-safe.
class StepStreams {
 public:
  explicit StepStreams(bool two_streams) : two_streams_(two_streams) {}
  ~StepStreams();  // waits for the GPU
  StepStreams(const StepStreams&) = delete;
  StepStreams& operator=(const StepStreams&) = delete;

  // Creates the streams on the current device. Returns the errors of CUDA and cuDNN.
  absl::Status Init();

  // Sets the batch norm workspaces of main, side and branch. They must be prepared as batch_norm.h requires and outlive
  // this object.
  void SetBatchNormWorkspaces(const std::array<char*, 3>& workspaces);

  // Each grows a workspace for a convolution that needs `bytes`, which drops its contents. Without two_streams, the
  // unused workspaces are grown all the same. Returns ResourceExhaustedError if there is no memory.
  absl::Status GrowWorkspaces(size_t bytes);                  // streams main and side
  absl::Status GrowShortcutWorkspace(size_t bytes);           // stream branch
  absl::Status GrowShortcutWeightsWorkspace(size_t bytes);    // stream shortcut_weights
  absl::Status GrowOwnWeightGradientWorkspace(size_t bytes);  // stream that side() returns

  // Without two_streams, main is used for side, branch, update and tail.
  const StepStream& main() const { return main_; }
  const StepStream& side() const { return two_streams_ ? side_ : main_; }
  const StepStream& branch() const { return two_streams_ ? branch_ : main_; }
  const StepStream& shortcut_weights() const { return shortcut_weights_; }
  cudaStream_t sums() const { return sums_; }
  cudaStream_t update() const { return two_streams_ ? update_ : main_.handle; }
  cudaStream_t tail() const { return two_streams_ ? tail_ : main_.handle; }

  // Returns all streams except sums, update and tail.
  std::array<const StepStream*, 4> all() const { return {&main_, &side_, &branch_, &shortcut_weights_}; }

  size_t bytes() const;  // size of all convolution workspaces

 private:
  absl::Status MakeStepStream(int priority, StepStream& stream);
  absl::Status GrowWorkspace(size_t bytes, StepStream& stream);

  const bool two_streams_;
  StepStream main_;
  StepStream side_;
  StepStream branch_;
  StepStream shortcut_weights_;
  cudaStream_t sums_ = nullptr;
  cudaStream_t update_ = nullptr;
  cudaStream_t tail_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_STREAMS_H_
