// Finds the redundant edges of an acyclic graph: edges whose two nodes are also connected by another path.
//
// A captured CUDA graph has a redundant edge wherever a stream waited for work that something else in its dependencies
// had already waited for. Each redundant edge adds a wait between two branches on the GPU, and CUDA spreads a chain of
// kernels with such edges over more branches.
#ifndef LOCKSTEP_LIB_CUDA_REDUNDANT_EDGES_H_
#define LOCKSTEP_LIB_CUDA_REDUNDANT_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

struct GraphEdge {
  uint32_t from = 0, to = 0;  // indices of nodes
};

// Distance, in a topological order, up to which another path is searched. Edges that start earlier are kept.
inline constexpr size_t kEdgeWindow = 4096;

// Returns the indices in `edges` of the redundant edges, in ascending order. All of them may be removed at once; every
// node still follows all nodes that it followed before. If the graph has a cycle, edges of nodes on the cycle or after
// it are kept.
std::vector<size_t> RedundantEdges(uint32_t nodes, const std::vector<GraphEdge>& edges);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_REDUNDANT_EDGES_H_
