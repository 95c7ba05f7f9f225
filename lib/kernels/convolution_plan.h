// An executable pass of a convolution: cuDNN's graph with the fastest allowed engine (convolution_engines.h), timed on
// the GPU, or our kernel if it is faster (convolution_fp32.h).
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
  ConvolutionGraph graph;  // declared before the engine, which refers to it
  ConvolutionEngine engine;
  std::optional<ConvolutionFp32Config> own;  // nullopt: the engine is faster
  double microseconds = 0;                   // time on TunedShape; 0: not timed

  std::string Name() const { return own.has_value() ? DescribeConvolutionFp32(*own) : engine.name; }
  size_t WorkspaceBytes() const { return own.has_value() ? 0 : engine.workspace_bytes; }
};

struct EngineChoice {
  bool autotune = true;     // false: our kernel's likeliest configuration, or the first engine that cuDNN can plan
  bool own_kernels = true;  // false: only cuDNN's engines
  // Plan whose engine or kernel is reused untimed if possible; null: no such plan.
  const ConvolutionPlan* like = nullptr;
  uint32_t multiprocessors = 0;  // see ConvolutionOptions
};

// Plans a pass. `shape` must have passed CheckConvolutionShape and must be a single part. Timing allocates and frees
// device memory. Returns the errors of Convolution::Plan.
absl::StatusOr<ConvolutionPlan> PlanConvolution(cudnnHandle_t handle, cudaStream_t stream,
                                                const ConvolutionShape& shape, ConvolutionPass pass,
                                                const ConvolutionEngineRules& rules, const EngineChoice& choice);

// Launches on `stream`, which must be the handle's stream. Operands: see ConvolutionPass.
absl::Status RunConvolutionPlan(cudnnHandle_t handle, cudaStream_t stream, const ConvolutionPlan& plan,
                                const ConvolutionShape& shape, ConvolutionPass pass, const void* a, const void* b,
                                void* out, void* workspace);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_PLAN_H_
