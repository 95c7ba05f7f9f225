#include "lib/kernels/launch_blocks.h"

#include <cuda.h>

#include <algorithm>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/driver_function.h"

namespace lockstep {
namespace {

using KernelNodeParams = CUresult(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*);

// Returns the driver's function: the runtime does not know the kernels of other libraries.
absl::StatusOr<KernelNodeParams*> FindKernelNodeParams() {
  ASSIGN_OR_RETURN(void* const function,
                   FindDriverFunction("cuGraphKernelNodeGetParams", "asking the driver for a kernel's blocks"));
  if (function == nullptr) {
    return absl::FailedPreconditionError("the CUDA driver has no cuGraphKernelNodeGetParams");
  }
  return reinterpret_cast<KernelNodeParams*>(function);
}

absl::StatusOr<uint64_t> BlocksOf(KernelNodeParams* kernel_node_params, cudaGraphNode_t node) {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  RETURN_IF_ERROR(CudaStatus(cudaGraphNodeGetType(node, &type), "reading a graph's node"));
  if (type != cudaGraphNodeTypeKernel) {
    return 0;
  }
  CUDA_KERNEL_NODE_PARAMS params = {};
  if (kernel_node_params(node, &params) != CUDA_SUCCESS) {
    return absl::InternalError("the CUDA driver does not report the number of blocks of a captured kernel");
  }
  return uint64_t{params.gridDimX} * params.gridDimY * params.gridDimZ;
}

}  // namespace

absl::StatusOr<uint64_t> MaxBlocks(cudaStream_t stream, const std::function<absl::Status()>& launch) {
  ASSIGN_OR_RETURN(KernelNodeParams* const kernel_node_params, FindKernelNodeParams());
  uint64_t max_blocks = 0;
  RETURN_IF_ERROR(CaptureNodes(stream, launch, [&](const std::vector<cudaGraphNode_t>& nodes) -> absl::Status {
    for (const cudaGraphNode_t node : nodes) {
      ASSIGN_OR_RETURN(const uint64_t blocks, BlocksOf(kernel_node_params, node));
      max_blocks = std::max(max_blocks, blocks);
    }
    return absl::OkStatus();
  }));
  return max_blocks;
}

}  // namespace lockstep
