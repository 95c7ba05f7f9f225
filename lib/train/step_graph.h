// Work on LibTorch's tensors, forward and backward, captured once as a CUDA graph and replayed by one launch.
//
// As PyTorch's documentation asks (CUDA semantics, "CUDA Graphs"): the work is run a few times on a stream of its own first, so
// that libraries are loaded and algorithms chosen; it reads and writes tensors that stay where they are; what it allocates lies in
// a pool that nothing else uses while the graph lives. It must not wait for the device.
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
    std::function<void()> before;  // each time, and not captured: drops what the time before left
    std::function<absl::Status()> run;
  };

  // Runs the work three times, then captures it, which runs nothing. Graphs that are never replayed at the same time, and leave
  // nothing in their pool that is read after another one's replay, may share it: `shared`, or null. Work's errors are passed on;
  // throws c10::Error as LibTorch does. Unimplemented: built without CUDA.
  static absl::StatusOr<std::unique_ptr<StepGraph>> Capture(c10::Device device, const Work& work,
                                                            const StepGraph* shared);
  virtual ~StepGraph() = default;

  // Queues the work on the current stream.
  virtual void Replay() = 0;

  using Maker = decltype(&Capture);  // tests put another way to run the work in its place
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_GRAPH_H_
