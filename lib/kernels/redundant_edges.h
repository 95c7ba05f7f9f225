// Which edges of an acyclic graph say nothing new: there is another way from the one node to the other.
//
// A captured CUDA graph has them wherever a stream waited for what something else that it waits for had waited for. Each
// is one more wait between two branches on the GPU, and CUDA spreads a chain of kernels that has them over more branches.
#ifndef LOCKSTEP_LIB_KERNELS_REDUNDANT_EDGES_H_
#define LOCKSTEP_LIB_KERNELS_REDUNDANT_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

struct GraphEdge {
  uint32_t from = 0, to = 0;  // nodes
};

// How far back, in an order that the edges allow, another way is looked for. What begins before that is kept.
inline constexpr size_t kEdgeWindow = 4096;

// Their places in `edges`, rising. All may be left out at once, and every node still follows all that it followed. Where
// the graph has a cycle, edges of what lies on it or behind it are kept.
std::vector<size_t> RedundantEdges(uint32_t nodes, const std::vector<GraphEdge>& edges);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_REDUNDANT_EDGES_H_
