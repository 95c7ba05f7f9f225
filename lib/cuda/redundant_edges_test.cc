#include "lib/cuda/redundant_edges.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RedundantEdgesTest, AWayAroundMakesTheShortOneRedundant) {
  EXPECT_THAT(RedundantEdges(0, {}), IsEmpty());
  EXPECT_THAT(RedundantEdges(3, {{0, 1}, {1, 2}}), IsEmpty());
  EXPECT_THAT(RedundantEdges(3, {{0, 2}, {0, 1}, {1, 2}}), ElementsAre(0));
  EXPECT_THAT(RedundantEdges(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}), IsEmpty());
  EXPECT_THAT(RedundantEdges(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}}), ElementsAre(4));
}

// The nodes are numbered against their topological order.
TEST(RedundantEdgesTest, TheOrderIsTheEdges) {
  EXPECT_THAT(RedundantEdges(3, {{2, 0}, {2, 1}, {1, 0}}), ElementsAre(0));
}

TEST(RedundantEdgesTest, TwoEdgesOfTheSameNodesAreKept) { EXPECT_THAT(RedundantEdges(2, {{0, 1}, {0, 1}}), IsEmpty()); }

TEST(RedundantEdgesTest, ACycleKeepsItsEdges) {
  EXPECT_THAT(RedundantEdges(3, {{0, 1}, {1, 0}, {0, 2}, {1, 2}}), IsEmpty());
}

// Dependencies of a stream that waits but launches nothing: the end of each step depends on the events of all earlier
// steps.
TEST(RedundantEdgesTest, OfAStreamThatOnlyWaitsTheNewestEdgeIsKept) {
  std::vector<GraphEdge> edges;
  for (uint32_t node = 1; node < 50; ++node) {
    for (uint32_t before = 0; before < node; ++before) {
      edges.push_back({before, node});
    }
  }
  EXPECT_EQ(RedundantEdges(50, edges).size(), edges.size() - 49);
}

using Pairs = std::set<std::pair<uint32_t, uint32_t>>;

Pairs Closure(uint32_t nodes, const std::vector<GraphEdge>& edges) {
  std::vector<std::set<uint32_t>> after(nodes);
  for (uint32_t node = nodes; node-- > 0;) {
    for (const GraphEdge& edge : edges) {
      if (edge.from == node) {
        after[node].insert(edge.to);
        after[node].insert(after[edge.to].begin(), after[edge.to].end());
      }
    }
  }
  Pairs pairs;
  for (uint32_t node = 0; node < nodes; ++node) {
    for (const uint32_t other : after[node]) {
      pairs.insert({node, other});
    }
  }
  return pairs;
}

// Without the redundant edges, every node follows the same nodes as before, and no further edge could be removed.
TEST(RedundantEdgesTest, WhatIsLeftOrdersTheSameAndIsTheLeast) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const uint32_t nodes = 2 + random() % 30;
    std::vector<GraphEdge> edges;
    for (uint32_t to = 1; to < nodes; ++to) {
      std::set<uint32_t> parents;
      for (uint32_t n = random() % 5; n > 0; --n) {
        parents.insert(random() % to);
      }
      for (const uint32_t from : parents) {
        edges.push_back({from, to});
      }
    }
    std::shuffle(edges.begin(), edges.end(), random);
    const std::vector<size_t> redundant = RedundantEdges(nodes, edges);
    std::vector<GraphEdge> kept;
    for (size_t i = 0; i < edges.size(); ++i) {
      if (!std::binary_search(redundant.begin(), redundant.end(), i)) {
        kept.push_back(edges[i]);
      }
    }
    const Pairs wanted = Closure(nodes, edges);
    ASSERT_EQ(Closure(nodes, kept), wanted);
    for (size_t i = 0; i < kept.size(); ++i) {
      std::vector<GraphEdge> fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      ASSERT_NE(Closure(nodes, fewer), wanted);
    }
  }
}

// A path that begins before the window is not found; a path within the window is found in a graph of any length.
TEST(RedundantEdgesTest, TheWindowBoundsTheSearch) {
  const uint32_t nodes = 3 * kEdgeWindow;
  std::vector<GraphEdge> chain;
  for (uint32_t node = 1; node < nodes; ++node) {
    chain.push_back({node - 1, node});
  }
  std::vector<GraphEdge> near = chain, far = chain;
  near.push_back({nodes - 1 - static_cast<uint32_t>(kEdgeWindow), nodes - 1});
  EXPECT_THAT(RedundantEdges(nodes, near), ElementsAre(chain.size()));
  far.push_back({nodes - 2 - static_cast<uint32_t>(kEdgeWindow), nodes - 1});
  EXPECT_THAT(RedundantEdges(nodes, far), IsEmpty());
}

}  // namespace
}  // namespace lockstep
