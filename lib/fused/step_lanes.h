// The streams of a training step, each with what its launches need for themselves.
//
//   lane              its work                                                                    its priority
//   main              forward; backward the chain of data gradients and batch norms               high
//   side              weight gradients; SGD of most weights                                       least
//   branch            shortcuts; with divided multiprocessors the classifier's parameters, too    high
//   shortcut_weights  with divided multiprocessors the shortcuts' weight gradients                least
//   sums              with divided multiprocessors the sums of weight gradients' parts            least
//   update            SGD of batch norms; with divided multiprocessors of layers 3 and 4, too     least
//   tail              what is left of the update behind the backward pass                         greatest
//
// Side and update are wanted last: where several have blocks waiting, the chain of data gradients goes first, with the
// shortcuts that it waits for. The tail runs beside the next step's batch, which is large and can wait.
#ifndef LOCKSTEP_LIB_FUSED_STEP_LANES_H_
#define LOCKSTEP_LIB_FUSED_STEP_LANES_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "lib/kernels/convolution.h"

namespace lockstep {

struct Lane {
  cudaStream_t stream = nullptr;
  std::unique_ptr<ConvolutionContext> context;
  void* convolution_workspace = nullptr;
  size_t workspace_bytes = 0;      // the convolutions' alone
  void* norm_workspace = nullptr;  // not owned; null: no batch norm is launched here
};

// Not thread-safe.
class StepLanes {
 public:
  explicit StepLanes(bool two_streams) : two_streams_(two_streams) {}
  ~StepLanes();  // waits for the GPU
  StepLanes(const StepLanes&) = delete;
  StepLanes& operator=(const StepLanes&) = delete;

  // Makes the streams, on the current device. Errors: CUDA's and cuDNN's.
  absl::Status Init();

  // The batch norms' memory for main, side and branch (batch_norm.h says how it is prepared), which outlives this.
  void SetNormWorkspaces(const std::array<char*, 3>& workspaces);

  // Each makes room for a convolution that wants `bytes`; what a lane had before is gone. Without a stream of their
  // own the lanes beside main have room all the same. ResourceExhausted: there is no memory.
  absl::Status MakeRoom(size_t bytes);                           // on main and side
  absl::Status MakeRoomForShortcut(size_t bytes);                // on branch
  absl::Status MakeRoomForDividedShortcutWeights(size_t bytes);  // on shortcut_weights
  absl::Status MakeRoomForOwnWeightGradient(size_t bytes);       // where side() is

  // Without two_streams main stands for side, branch, update and tail.
  const Lane& main() const { return main_; }
  const Lane& side() const { return two_streams_ ? side_ : main_; }
  const Lane& branch() const { return two_streams_ ? branch_ : main_; }
  const Lane& shortcut_weights() const { return shortcut_weights_; }
  cudaStream_t sums() const { return sums_; }
  cudaStream_t update() const { return two_streams_ ? update_ : main_.stream; }
  cudaStream_t tail() const { return two_streams_ ? tail_ : main_.stream; }

  // All but sums, update and tail.
  std::array<const Lane*, 4> all() const { return {&main_, &side_, &branch_, &shortcut_weights_}; }

  size_t bytes() const;  // the convolutions' workspaces together

 private:
  absl::Status MakeLane(int priority, Lane& lane);
  absl::Status GrowWorkspace(size_t bytes, Lane& lane);

  const bool two_streams_;
  Lane main_;
  Lane side_;
  Lane branch_;
  Lane shortcut_weights_;
  cudaStream_t sums_ = nullptr;
  cudaStream_t update_ = nullptr;
  cudaStream_t tail_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_STEP_LANES_H_
