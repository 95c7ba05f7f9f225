#include "lib/train/step_graph.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<StepGraph>> StepGraph::Capture(c10::Device, const Work&, const StepGraph*) {
  return absl::UnimplementedError(
      "--cuda_graph=true: this program was built without CUDA, or with a LibTorch without it");
}

}  // namespace lockstep
