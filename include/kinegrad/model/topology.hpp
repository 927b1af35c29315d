// From the joint graph to a spanning tree and the joints cut out of it (docs/theory/topology.md).
//
// Body 0 is the ground. A part of the mechanism with no joint to the ground hangs on it by a free
// (floating) joint of its first body. In every loop one joint is cut, the one most wanted cut [T-1]:
//
//   1. `cut: true`;  never, if another will do, `cut: false`
//   2. a spherical joint
//   3. the joint with most coordinates
//   4. a joint whose coordinate nothing uses (initial, driver, force, signal)
//   5. the joint whose cut leaves the smallest sum of body depths
//   6. the first in the file
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kinegrad {

/// A joint as an edge of the graph of bodies.
struct JointEdge {
  int body1 = 0;
  int body2 = 0;
  bool spherical = false;
  int coordinates = 0;
  bool used = false;        ///< its coordinate is named by initial, a driver, a force or a signal
  std::optional<bool> cut;  ///< the user's wish
};

/// A body of the tree with the joint that carries it.
struct TreeNode {
  int body = 0;
  int parent = 0;
  int joint = -1;         ///< index of the edge; -1: free joint to the ground, added by us
  bool reversed = false;  ///< the tree runs from body2 to body1 of the joint
  int depth = 0;          ///< 1 for bodies on the ground
};

enum class CutReason {
  kAsked,
  kSpherical,
  kMostCoordinates,
  kUnused,
  kDepth,
  kFileOrder,
  kOnlyChoice
};

/// A closed loop: the joint cut, and the tree joints that complete it.
struct Loop {
  int cut_joint = 0;
  std::vector<int> joints;  ///< the other joints of the loop, from body1 of the cut to its body2
  CutReason reason = CutReason::kOnlyChoice;
};

struct Topology {
  std::vector<TreeNode> nodes;  ///< parents before children, subtrees contiguous
  std::vector<Loop> loops;      ///< by file order of the cut joint
  /// Joints with `cut: true` that are in no loop: cutting them would free a part of the mechanism.
  std::vector<int> impossible_cuts;
};

/// @pre every edge joins two different bodies in [0, body_count).
Topology make_topology(int body_count, std::span<const JointEdge> edges);

/// A phrase for people: "spherical joints are cut first", …
std::string describe(CutReason reason);

}  // namespace kinegrad
