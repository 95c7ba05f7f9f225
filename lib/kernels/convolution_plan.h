// A pass of a convolution that can be executed: cuDNN's graph with the engine that was chosen for it, the fastest of
// those that may be used (convolution_engines.h), timed on the GPU; or our kernel, where that is faster
// (convolution_fp32.h).
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_PLAN_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_PLAN_H_

#include <cuda_runtime.h>
#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution_engines.h"
#include "lib/kernels/convolution_fp32.h"
#include "lib/kernels/convolution_graph.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

struct ConvolutionPlan {
  ConvolutionGraph graph;  // before the engine, which refers to it
  ConvolutionEngine engine;
  std::optional<ConvolutionFp32Config> own;  // none: the engine is faster
  double microseconds = 0;                   // on TunedShape; 0: not timed

  std::string Name() const { return own.has_value() ? DescribeConvolutionFp32(*own) : engine.name; }
  size_t WorkspaceBytes() const { return own.has_value() ? 0 : engine.workspace_bytes; }
};

struct EngineChoice {
  bool autotune = true;                   // false: our kernel's likeliest way, or cuDNN's first engine that it can plan
  bool own_kernels = true;                // false: cuDNN's alone
  const ConvolutionPlan* like = nullptr;  // whose engine or kernel is taken untimed if it can be; null: nobody's
  uint32_t multiprocessors = 0;           // as ConvolutionOptions has them
};

// For a shape that passed CheckConvolutionShape and is one part; timing allocates and frees device memory. Errors as
// Convolution::Plan's.
absl::StatusOr<ConvolutionPlan> PlanConvolution(cudnnHandle_t handle, cudaStream_t stream,
                                                const ConvolutionShape& shape, ConvolutionPass pass,
                                                const ConvolutionEngineRules& rules, const EngineChoice& choice);

// Launches on the stream, which is the handle's. Operands as in ConvolutionPass.
absl::Status RunConvolutionPlan(cudnnHandle_t handle, cudaStream_t stream, const ConvolutionPlan& plan,
                                const ConvolutionShape& shape, ConvolutionPass pass, const void* a, const void* b,
                                void* out, void* workspace);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_PLAN_H_
