// One pass of a convolution in cuDNN's terms: three tensors, the convolution, one operation, and the graph of that
// operation.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_GRAPH_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_GRAPH_H_

#include <cudnn.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution_shape.h"
#include "lib/kernels/cudnn_descriptor.h"

namespace lockstep {

// Alignment in bytes of all pointers that a pass takes.
inline constexpr int64_t kConvolutionAlignment = 16;

class ConvolutionGraph {
 public:
  // Builds the graph of a pass. `shape` must have passed CheckConvolutionShape.
  static absl::StatusOr<ConvolutionGraph> Make(cudnnHandle_t handle, const ConvolutionShape& shape,
                                               ConvolutionPass pass, ConvolutionType type);

  const CudnnDescriptor& graph() const { return graph_; }

 private:
  ConvolutionGraph() = default;

  // Declared in the order in which they refer to one another, so that they are destroyed from the last to the first.
  CudnnDescriptor x_, w_, y_, convolution_, operation_, graph_;
};

// Launches a finalized execution plan of such a graph on the handle's stream. a, b, out: see ConvolutionPass.
absl::Status ExecuteConvolution(cudnnHandle_t handle, const CudnnDescriptor& plan, ConvolutionPass pass, const void* a,
                                const void* b, void* out, void* workspace);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_GRAPH_H_
