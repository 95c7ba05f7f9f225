#include "lib/cuda/redundant_edges.h"

#include <algorithm>
#include <bitset>
#include <functional>
#include <queue>

namespace lockstep {
namespace {

// Set of predecessors of a position. Bit d: the node d + 1 positions earlier always precedes this position's node.
using Before = std::bitset<kEdgeWindow>;

struct Arrival {
  size_t back = 0;  // distance in positions, within the window
  size_t edge = 0;
};

// Returns a topological order by Kahn's algorithm. Ready nodes are taken in the order of their indices, so nodes that
// are given in a topological order keep it.
std::vector<uint32_t> InOrder(uint32_t nodes, const std::vector<GraphEdge>& edges) {
  std::vector<uint32_t> awaited(nodes);
  std::vector<std::vector<uint32_t>> then(nodes);
  for (const GraphEdge& edge : edges) {
    ++awaited[edge.to];
    then[edge.from].push_back(edge.to);
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t node = 0; node < nodes; ++node) {
    if (awaited[node] == 0) {
      ready.push(node);
    }
  }
  std::vector<uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const uint32_t next : then[order.back()]) {
      if (--awaited[next] == 0) {
        ready.push(next);
      }
    }
  }
  return order;
}

// Returns the edges that arrive at each position of the order from within the window.
std::vector<std::vector<Arrival>> ArrivalsOf(uint32_t nodes, const std::vector<GraphEdge>& edges,
                                             const std::vector<uint32_t>& order) {
  std::vector<size_t> place(nodes, order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
  }
  std::vector<std::vector<Arrival>> arrivals(order.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    const size_t from = place[edges[i].from], to = place[edges[i].to];
    if (to < order.size() && to - from <= kEdgeWindow) {
      arrivals[to].push_back({to - from, i});
    }
  }
  return arrivals;
}

}  // namespace

std::vector<size_t> RedundantEdges(uint32_t nodes, const std::vector<GraphEdge>& edges) {
  const std::vector<std::vector<Arrival>> arrivals = ArrivalsOf(nodes, edges, InOrder(nodes, edges));
  std::vector<Before> before(std::min(arrivals.size(), kEdgeWindow));  // predecessors of the last positions, as a ring
  std::vector<size_t> redundant;
  for (size_t to = 0; to < arrivals.size(); ++to) {
    Before all;
    for (const auto [back, edge] : arrivals[to]) {
      all |= before[(to - back) % before.size()] << back;
    }
    for (const auto [back, edge] : arrivals[to]) {
      if (all[back - 1]) {
        redundant.push_back(edge);
      }
    }
    for (const auto [back, edge] : arrivals[to]) {
      all.set(back - 1);
    }
    before[to % before.size()] = all;
  }
  std::sort(redundant.begin(), redundant.end());
  return redundant;
}

}  // namespace lockstep
