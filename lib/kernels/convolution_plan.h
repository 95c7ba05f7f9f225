// A pass of a convolution that cuDNN can be asked to execute: its graph with the engine that was chosen for it, the fastest of
// those that may be used (convolution_engines.h), timed on the GPU.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_PLAN_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_PLAN_H_

#include <cuda_runtime.h>
#include <cudnn.h>

#include <string>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution_engines.h"
#include "lib/kernels/convolution_graph.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

struct ConvolutionPlan {
  ConvolutionGraph graph;  // before the engine, which refers to it
  ConvolutionEngine engine;
  double microseconds = 0;  // of the engine on TunedShape; 0: not timed
};

struct EngineChoice {
  bool autotune = true;   // false: cuDNN's first that it can plan
  std::string preferred;  // the name of an engine that is taken untimed if it can be; empty: none
};

// For a shape that passed CheckConvolutionShape and is one part; timing allocates and frees device memory. Errors as
// Convolution::Plan's.
absl::StatusOr<ConvolutionPlan> PlanConvolution(cudnnHandle_t handle, cudaStream_t stream, const ConvolutionShape& shape,
                                                ConvolutionPass pass, const ConvolutionEngineRules& rules,
                                                const EngineChoice& choice);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_PLAN_H_
