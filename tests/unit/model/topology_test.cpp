#include "kinegrad/model/topology.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace kinegrad {
namespace {

JointEdge edge(int body1, int body2, int coordinates = 1) {
  JointEdge e;
  e.body1 = body1;
  e.body2 = body2;
  e.coordinates = coordinates;
  return e;
}

/// ground – 1 – 2 – … – n – ground, joints in this order.
std::vector<JointEdge> ring(int bodies) {
  std::vector<JointEdge> edges;
  for (int b = 0; b < bodies; ++b) edges.push_back(edge(b, b + 1));
  edges.push_back(edge(bodies, 0));
  return edges;
}

int only_cut(const Topology& t) {
  EXPECT_EQ(t.loops.size(), 1u);
  return t.loops.empty() ? -1 : t.loops[0].cut_joint;
}

TEST(Topology, ChainHasNoLoop) {
  const std::vector<JointEdge> edges{edge(0, 1), edge(1, 2), edge(3, 2)};
  const Topology t = make_topology(4, edges);
  ASSERT_EQ(t.nodes.size(), 3u);
  EXPECT_TRUE(t.loops.empty());
  EXPECT_EQ(t.nodes[2].body, 3);
  EXPECT_EQ(t.nodes[2].parent, 2);
  EXPECT_TRUE(t.nodes[2].reversed);
  EXPECT_FALSE(t.nodes[1].reversed);
  EXPECT_EQ(t.nodes[2].depth, 3);
}

TEST(Topology, FiveBarIsCutInTheMiddle) {
  const Topology t = make_topology(5, ring(4));
  EXPECT_EQ(only_cut(t), 2);
  EXPECT_EQ(t.loops[0].reason, CutReason::kDepth);
  EXPECT_EQ(t.loops[0].joints, (std::vector<int>{1, 0, 4, 3}));
}

TEST(Topology, EqualDepthsGoByFileOrder) {
  // three bodies: cutting joint 1 or joint 2 gives depths 1 + 2 + 1
  const Topology t = make_topology(4, ring(3));
  EXPECT_EQ(only_cut(t), 1);
  EXPECT_EQ(t.loops[0].reason, CutReason::kFileOrder);
}

TEST(Topology, SphericalFirstThoughOthersHaveMoreCoordinates) {
  auto edges = ring(4);
  edges[4].spherical = true;
  edges[4].coordinates = 4;
  edges[0].coordinates = 7;
  const Topology t = make_topology(5, edges);
  EXPECT_EQ(only_cut(t), 4);
  EXPECT_EQ(t.loops[0].reason, CutReason::kSpherical);
}

TEST(Topology, MostCoordinatesNext) {
  auto edges = ring(4);
  edges[0].coordinates = 2;
  const Topology t = make_topology(5, edges);
  EXPECT_EQ(only_cut(t), 0);
  EXPECT_EQ(t.loops[0].reason, CutReason::kMostCoordinates);
}

TEST(Topology, UsedJointsStayIfAnotherWillDo) {
  auto edges = ring(4);
  for (int e : {0, 2, 3, 4}) edges[static_cast<std::size_t>(e)].used = true;
  const Topology t = make_topology(5, edges);
  EXPECT_EQ(only_cut(t), 1);
  EXPECT_EQ(t.loops[0].reason, CutReason::kUnused);
  edges[1].used = true;  // none will do: depth decides again
  EXPECT_EQ(only_cut(make_topology(5, edges)), 2);
}

TEST(Topology, AskedCutIsObeyed) {
  auto edges = ring(4);
  edges[0].cut = true;
  edges[3].spherical = true;
  const Topology t = make_topology(5, edges);
  EXPECT_EQ(only_cut(t), 0);
  EXPECT_EQ(t.loops[0].reason, CutReason::kAsked);
}

TEST(Topology, KeptJointsAreCutOnlyIfAllAreKept) {
  auto edges = ring(4);
  edges[2].cut = false;
  EXPECT_NE(only_cut(make_topology(5, edges)), 2);
  for (JointEdge& e : edges) e.cut = false;
  EXPECT_EQ(only_cut(make_topology(5, edges)), 2);
}

TEST(Topology, CuttingABridgeIsImpossible) {
  std::vector<JointEdge> edges{edge(0, 1), edge(1, 2)};
  edges[1].cut = true;
  EXPECT_EQ(make_topology(3, edges).impossible_cuts, (std::vector<int>{1}));
}

TEST(Topology, PartsOffTheGroundFloatOnTheirFirstBody) {
  const std::vector<JointEdge> edges{edge(0, 1), edge(3, 2), edge(4, 3)};
  const Topology t = make_topology(6, edges);
  ASSERT_EQ(t.nodes.size(), 5u);
  std::vector<int> free;
  for (const TreeNode& node : t.nodes) {
    if (node.joint < 0) free.push_back(node.body);
  }
  EXPECT_EQ(free, (std::vector<int>{2, 5}));
}

TEST(Topology, TwoJointsBetweenTheSameBodiesAreALoop) {
  const std::vector<JointEdge> edges{edge(0, 1, 2), edge(0, 1, 3)};
  EXPECT_EQ(only_cut(make_topology(2, edges)), 1);
}

/// On random graphs: a spanning tree in which no exchange within a loop cuts a more wanted joint.
TEST(Topology, RandomGraphsAreSpannedAndEveryLoopCutsItsMostWantedJoint) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 100; ++round) {
    const int n = 2 + static_cast<int>(rng() % 20);
    std::vector<JointEdge> edges;
    for (int b = 1; b < n; ++b) {
      edges.push_back(
          edge(static_cast<int>(rng() % static_cast<unsigned>(b)), b, static_cast<int>(rng() % 4)));
    }
    const int extra = static_cast<int>(rng() % 6);
    for (int k = 0; k < extra; ++k) {
      const int a = static_cast<int>(rng() % static_cast<unsigned>(n));
      const int b = static_cast<int>(rng() % static_cast<unsigned>(n));
      if (a != b) edges.push_back(edge(a, b, static_cast<int>(rng() % 4)));
    }
    const Topology t = make_topology(n, edges);
    ASSERT_EQ(t.nodes.size(), static_cast<std::size_t>(n - 1));
    ASSERT_EQ(t.loops.size(), edges.size() - static_cast<std::size_t>(n - 1));
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    seen[0] = true;
    for (const TreeNode& node : t.nodes) {
      EXPECT_TRUE(seen[static_cast<std::size_t>(node.parent)]) << "a child before its parent";
      EXPECT_FALSE(seen[static_cast<std::size_t>(node.body)]);
      seen[static_cast<std::size_t>(node.body)] = true;
    }
    for (const Loop& loop : t.loops) {
      for (int j : loop.joints) {
        EXPECT_LE(edges[static_cast<std::size_t>(j)].coordinates,
                  edges[static_cast<std::size_t>(loop.cut_joint)].coordinates);
      }
    }
  }
}

TEST(Topology, ThousandsOfLoopsStayQuick) {
  // a ladder of 3000 four-bars; not timed, but quadratic work would not end
  std::vector<JointEdge> edges;
  const int rungs = 3000;
  int left = 0, next = 1;
  for (int k = 0; k < rungs; ++k) {
    const int crank = next++, coupler = next++, rocker = next++;
    edges.push_back(edge(left, crank));
    edges.push_back(edge(crank, coupler));
    edges.push_back(edge(coupler, rocker));
    edges.push_back(edge(rocker, 0));
    left = crank;
  }
  const Topology t = make_topology(next, edges);
  EXPECT_EQ(t.loops.size(), static_cast<std::size_t>(rungs));
}

}  // namespace
}  // namespace kinegrad
