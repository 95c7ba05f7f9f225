// Work on LibTorch's tensors, forward and backward, captured once as a CUDA graph and replayed by one launch.
//
// Follows PyTorch's documentation (CUDA semantics, "CUDA Graphs"):
// - The work first runs a few times on its own stream, so that libraries are loaded and algorithms chosen.
// - It reads and writes tensors whose addresses do not change.
// - Its allocations come from a pool that nothing else uses while the graph lives.
// - It must not wait for the device.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_GRAPH_H_
#define LOCKSTEP_LIB_TRAIN_STEP_GRAPH_H_

#include <c10/core/Device.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

class StepGraph {
 public:
  struct Work {
    std::function<void()> before;  // called before each run, never captured: drops the previous run's results
    std::function<absl::Status()> run;
  };

  // Runs the work three times, then captures it without running it. The graph may use the memory pool of `shared`
  // (null: its own pool) if the two graphs are never replayed at the same time, and nothing that one graph left in
  // the pool is read after the other's replay. Returns the work's errors, and UnimplementedError if built without CUDA.
  // Throws c10::Error, like LibTorch.
  static absl::StatusOr<std::unique_ptr<StepGraph>> Capture(c10::Device device, const Work& work,
                                                            const StepGraph* shared);
  virtual ~StepGraph() = default;

  // Queues the work on the current stream.
  virtual void Replay() = 0;

  using Maker = decltype(&Capture);  // lets tests replace the way the work is run
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_GRAPH_H_
