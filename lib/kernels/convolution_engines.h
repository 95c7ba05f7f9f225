// Selects the cuDNN engines that may compute a pass, in the order in which cuDNN's heuristics expect them to be fast.
//
// An engine is allowed only if its numerical notes guarantee "products of the unmodified inputs, summed in fp32":
// - kFp32: no engine that uses tensor cores (they would round the inputs to TF32) or converts its inputs down.
// - kTf32: no engine that converts its inputs down, which means to less than TF32 (cuDNN notes TF32 as tensor core).
// - All types: no engine that reduces in less than fp32; no Winograd and no FFT. These sum transformed inputs, so that
//   their error is relative to a whole tile, not to the sum's terms, and no error bound for sums applies.
// If determinism is requested, engines that cuDNN notes as nondeterministic are excluded too.
//
// Effect of these rules, queried from cuDNN 9.19 without a GPU, for the device properties of an H200 (compute
// capability 9.0, 132 SMs), on ResNet-18's convolutions at batch 32, 128 and 512: no engine is noted as Winograd, FFT
// or converting down. In bf16, one engine per data gradient reduces in less than fp32. Each pass keeps 3 to 6 engines
// in fp32, 21 to 39 in TF32, 45 to 79 in bf16. The deterministic engines are as many, except for one fewer in fp32 and
// TF32.
//
// A Winograd engine without the note is still accepted: engine 17 of 9.19, the fastest for fp32 weight gradients of 3x3
// with a stride of 1, reaches 108 TFLOP/s by the definition's operation count on an H200, whose units reach 67, so it
// must transform its inputs.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_ENGINES_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_ENGINES_H_

#include <cudnn.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution_shape.h"
#include "lib/kernels/cudnn_descriptor.h"

namespace lockstep {

struct ConvolutionEngineRules {
  ConvolutionType type = ConvolutionType::kFp32;
  bool deterministic = false;
  size_t max_workspace_bytes = 0;
  size_t limit = 0;  // maximum number of engines to return, at least 1
};

// Returns whether an engine with these notes may be used. Reads the rules' type and `deterministic`.
bool NotesAllowed(const std::vector<cudnnBackendNumericalNote_t>& notes, const ConvolutionEngineRules& rules);

struct ConvolutionEngine {
  CudnnDescriptor config, plan;  // the plan is finalized
  size_t workspace_bytes = 0;
  std::string name;  // "engine 5 knobs 2=11 14=3 notes 0"; the numbers are those of cudnn_graph.h
};

// Returns 1 to `limit` engines: from heuristics mode A, then B; from the fallback list only if both modes give none.
// Each combination of engine and knobs appears once. Returns UnimplementedError if there is no engine; its message
// gives the number of engines examined and the reasons for their exclusion.
absl::StatusOr<std::vector<ConvolutionEngine>> FindConvolutionEngines(cudnnHandle_t handle,
                                                                      const CudnnDescriptor& graph,
                                                                      const ConvolutionEngineRules& rules);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_ENGINES_H_
