// Which of cuDNN's engines may compute a pass, in the order in which cuDNN's heuristics expect them to be fast.
//
// An engine is taken only when its numerical notes keep the promise "products of the inputs as they are, summed in
// fp32":
//   kFp32  none that uses tensor cores (they would round the inputs to TF32) or converts its inputs down
//   kTf32  none that converts its inputs down, which is to less than TF32 (cuDNN notes TF32 as tensor core)
//   all    none that reduces in less than fp32; no Winograd and no FFT, which sum transformed inputs: their error is
//          relative to a whole tile, not to the sum's terms, so that no bound of a sum holds for them
// and, when asked for determinism, none that cuDNN notes as nondeterministic.
//
// What that costs, asked of cuDNN 9.19 without a GPU, for device properties of an H200 (compute capability 9.0, 132
// SMs), on ResNet-18's convolutions at batch 32, 128 and 512: no engine is noted as Winograd, FFT or converting down.
// In bf16 one engine a data gradient reduces in less than fp32. Left are 3 to 6 engines a pass in fp32, 21 to 39 in
// TF32, 45 to 79 in bf16; deterministic ones as many but for one in fp32 and TF32.
//
// A Winograd engine without the note passes, all the same: engine 17 of 9.19, the fastest for fp32's weight gradients
// of 3x3 with a stride of 1, does 108 TFLOP/s of the definition on an H200, whose units do 67, so it must transform its
// inputs.
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
  size_t limit = 0;  // engines wanted, at least 1
};

// Whether an engine with these notes may be used.
bool NotesAllowed(const std::vector<cudnnBackendNumericalNote_t>& notes, ConvolutionType type, bool deterministic);

struct ConvolutionEngine {
  CudnnDescriptor config, plan;  // the plan is finalized
  size_t workspace_bytes = 0;
  std::string name;  // "engine 5 knobs 2=11 14=3 notes 0": numbers of cudnn_graph.h
};

// At least one and at most `limit`: of heuristics mode A, then B, then the fallback list, each engine with its knobs
// once. Unimplemented when there is none: how many were looked at, and why they were left out.
absl::StatusOr<std::vector<ConvolutionEngine>> FindConvolutionEngines(cudnnHandle_t handle,
                                                                      const CudnnDescriptor& graph,
                                                                      const ConvolutionEngineRules& rules);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_ENGINES_H_
