#include "kinegrad/model/topology.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

constexpr int kFreeJoint = -1;

/// Disjoint sets of bodies.
class Components {
 public:
  explicit Components(int n) : parent_(static_cast<std::size_t>(n)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int a) {
    while (parent(a) != a) a = parent(a) = parent(parent(a));
    return a;
  }
  /// False if they were connected already.
  bool join(int a, int b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    parent(std::max(a, b)) = std::min(a, b);
    return true;
  }

 private:
  int& parent(int a) { return parent_[static_cast<std::size_t>(a)]; }
  std::vector<int> parent_;
};

struct Neighbour {
  int body;
  int edge;
};
using Adjacency = std::vector<std::vector<Neighbour>>;

/// Rules 1 to 4 of [T-1]: larger is more wanted cut.
std::tuple<int, int, int, int> wish(const JointEdge& e) {
  const int kept = e.cut.has_value() && !*e.cut ? 0 : 1;
  return {kept, e.spherical ? 1 : 0, e.coordinates, e.used ? 0 : 1};
}

class TreeMaker {
 public:
  TreeMaker(int body_count, std::span<const JointEdge> edges)
      : n_(body_count), edges_(edges), in_tree_(edges.size(), false) {}

  Topology make() {
    take_asked_cuts();
    find_bases();
    grow();
    for (int pass = 0; pass < kMaxPasses && improve(); ++pass) {
    }
    return result();
  }

 private:
  static constexpr int kMaxPasses = 20;
  /// Bound on tree walks × (bodies + joints), once for the choice and once for its reasons: keeps a
  /// mechanism of thousands of loops under a second.
  static constexpr long kMaxWork = 4'000'000;
  long walk_cost() const { return n_ + edge_count(); }

  const JointEdge& edge(int e) const { return edges_[static_cast<std::size_t>(e)]; }
  int edge_count() const { return static_cast<int>(edges_.size()); }
  bool asked(int e) const { return edge(e).cut.value_or(false); }

  /// `cut: true` joints leave the graph unless that would take a body off the mechanism.
  void take_asked_cuts() {
    Components with(n_), without(n_);
    for (int e = 0; e < edge_count(); ++e) {
      with.join(edge(e).body1, edge(e).body2);
      if (!asked(e)) without.join(edge(e).body1, edge(e).body2);
    }
    excluded_.assign(edges_.size(), false);
    for (int e = 0; e < edge_count(); ++e) {
      if (!asked(e)) continue;
      if (without.root(edge(e).body1) == without.root(edge(e).body2)) {
        excluded_[static_cast<std::size_t>(e)] = true;
      } else {  // a bridge once the other asked cuts are made
        impossible_.push_back(e);
        without.join(edge(e).body1, edge(e).body2);
      }
    }
  }

  /// The first body of every part that does not reach the ground.
  void find_bases() {
    Components parts(n_);
    for (const JointEdge& e : edges_) parts.join(e.body1, e.body2);
    for (int b = 1; b < n_; ++b) {
      if (parts.join(0, b)) bases_.push_back(b);
    }
  }

  Adjacency adjacency(bool tree_only) const {
    Adjacency next(static_cast<std::size_t>(n_));
    const auto link = [&](int a, int b, int e) {
      next[static_cast<std::size_t>(a)].push_back({b, e});
      next[static_cast<std::size_t>(b)].push_back({a, e});
    };
    for (int b : bases_) link(0, b, kFreeJoint);
    for (int e = 0; e < edge_count(); ++e) {
      const bool take = tree_only ? in_tree_[static_cast<std::size_t>(e)]
                                  : !excluded_[static_cast<std::size_t>(e)];
      if (take) link(edge(e).body1, edge(e).body2, e);
    }
    return next;
  }

  /// Breadth-first walk from the ground: order, and for each body its depth and parent link.
  struct Walk {
    std::vector<int> order, depth, parent, parent_edge;
  };
  Walk walk(bool tree_only) const {
    const auto size = static_cast<std::size_t>(n_);
    Walk w{{0}, std::vector<int>(size, -1), std::vector<int>(size, -1), std::vector<int>(size, -1)};
    const Adjacency next = adjacency(tree_only);
    w.depth[0] = 0;
    for (std::size_t head = 0; head < w.order.size(); ++head) {
      const auto body = static_cast<std::size_t>(w.order[head]);
      for (const Neighbour& to : next[body]) {
        const auto child = static_cast<std::size_t>(to.body);
        if (w.depth[child] >= 0) continue;
        w.depth[child] = w.depth[body] + 1;
        w.parent[child] = static_cast<int>(body);
        w.parent_edge[child] = to.edge;
        w.order.push_back(to.body);
      }
    }
    return w;
  }

  static long depth_sum(const Walk& w) {
    return std::accumulate(w.depth.begin(), w.depth.end(), 0L);
  }

  /// Kruskal: the joints least wanted cut enter the tree first. Among equals those near the ground,
  /// which gives the breadth-first (shallowest) tree when all are equal; then the last in the file.
  void grow() {
    const Walk w = walk(false);
    const auto key = [&](int e) {
      const int d1 = w.depth[static_cast<std::size_t>(edge(e).body1)];
      const int d2 = w.depth[static_cast<std::size_t>(edge(e).body2)];
      return std::tuple{wish(edge(e)), std::max(d1, d2), std::min(d1, d2), -e};
    };
    std::vector<int> order;
    for (int e = 0; e < edge_count(); ++e) {
      if (!excluded_[static_cast<std::size_t>(e)]) order.push_back(e);
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    Components joined(n_);
    for (int b : bases_) joined.join(0, b);
    for (int e : order) {
      in_tree_[static_cast<std::size_t>(e)] = joined.join(edge(e).body1, edge(e).body2);
    }
  }

  /// Joints of the tree path from body1 to body2 of a cut joint.
  std::vector<int> path(const Walk& w, int cut) const {
    std::vector<int> up, down;
    int a = edge(cut).body1, b = edge(cut).body2;
    const auto depth = [&](int x) { return w.depth[static_cast<std::size_t>(x)]; };
    const auto climb = [&](int& x, std::vector<int>& joints) {
      joints.push_back(w.parent_edge[static_cast<std::size_t>(x)]);
      x = w.parent[static_cast<std::size_t>(x)];
    };
    while (a != b) {
      if (depth(a) >= depth(b)) {
        climb(a, up);
      } else {
        climb(b, down);
      }
    }
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
  }

  /// One pass of rule 5: swaps cut joints for equals of their loop that give a shallower tree.
  bool improve() {
    bool changed = false;
    for (int cut = 0; cut < edge_count(); ++cut) {
      if (in_tree_[static_cast<std::size_t>(cut)] || asked(cut)) continue;
      if ((work_ += walk_cost()) > kMaxWork) return false;
      const Walk w = walk(true);
      int best = cut;
      std::pair<long, int> best_key{depth_sum(w), cut};
      for (int e : path(w, cut)) {
        if (e == kFreeJoint || wish(edge(e)) != wish(edge(cut)) || work_ > kMaxWork) continue;
        work_ += walk_cost();
        swap(cut, e);
        const std::pair<long, int> key{depth_sum(walk(true)), e};
        if (key < best_key) {
          best_key = key;
          best = e;
        }
        swap(e, cut);
      }
      if (best != cut) {
        swap(cut, best);
        changed = true;
      }
    }
    return changed;
  }

  /// Puts `in` into the tree and takes `out` out of it.
  void swap(int in, int out) {
    in_tree_[static_cast<std::size_t>(in)] = true;
    in_tree_[static_cast<std::size_t>(out)] = false;
  }

  /// The first rule of [T-1] that sets the cut joint apart from the runner-up of its loop.
  CutReason reason(int cut, const std::vector<int>& others) {
    if (asked(cut)) return CutReason::kAsked;
    explain_work_ += walk_cost();
    const long own_depth = explain_work_ > kMaxWork ? 0 : depth_sum(walk(true));
    int rule = 0;  // index of the deciding rule against the hardest rival
    for (int e : others) {
      if (e == kFreeJoint) continue;
      const JointEdge& a = edge(cut);
      const JointEdge& b = edge(e);
      int decided = 5;
      if (wish(a) != wish(b)) {
        decided = std::get<0>(wish(a)) != std::get<0>(wish(b)) ? 0
                  : a.spherical != b.spherical                 ? 1
                  : a.coordinates != b.coordinates             ? 2
                                                               : 3;
      } else if ((explain_work_ += walk_cost()) > kMaxWork) {
        decided = 4;  // equals of a huge mechanism: told apart by depth as far as we looked
      } else {
        swap(cut, e);
        if (depth_sum(walk(true)) != own_depth) decided = 4;
        swap(e, cut);
      }
      rule = std::max(rule, decided);
    }
    switch (rule) {
      case 1: return CutReason::kSpherical;
      case 2: return CutReason::kMostCoordinates;
      case 3: return CutReason::kUnused;
      case 4: return CutReason::kDepth;
      case 5: return CutReason::kFileOrder;
      default: return CutReason::kOnlyChoice;
    }
  }

  /// Bodies with each subtree contiguous, children by number.
  std::vector<int> depth_first(const Walk& w) const {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(n_));
    for (int b = n_ - 1; b > 0; --b) {
      children[static_cast<std::size_t>(w.parent[static_cast<std::size_t>(b)])].push_back(b);
    }
    std::vector<int> order, stack{0};
    while (!stack.empty()) {
      const int body = stack.back();
      stack.pop_back();
      order.push_back(body);
      const auto& own = children[static_cast<std::size_t>(body)];
      stack.insert(stack.end(), own.begin(), own.end());  // the smallest is on top
    }
    return order;
  }

  Topology result() {
    Topology t;
    const Walk w = walk(true);
    for (int body : depth_first(w)) {
      if (body == 0) continue;
      const auto b = static_cast<std::size_t>(body);
      TreeNode node{body, w.parent[b], w.parent_edge[b], false, w.depth[b]};
      node.reversed = node.joint != kFreeJoint && edge(node.joint).body2 != body;
      t.nodes.push_back(node);
    }
    for (int e = 0; e < edge_count(); ++e) {
      if (in_tree_[static_cast<std::size_t>(e)]) continue;
      Loop loop{e, path(w, e), CutReason::kOnlyChoice};
      loop.reason = reason(e, loop.joints);
      t.loops.push_back(std::move(loop));
    }
    t.impossible_cuts = impossible_;
    return t;
  }

  int n_;
  std::span<const JointEdge> edges_;
  std::vector<bool> in_tree_, excluded_;
  std::vector<int> bases_, impossible_;
  long work_ = 0, explain_work_ = 0;
};

}  // namespace

Topology make_topology(int body_count, std::span<const JointEdge> edges) {
  for (const JointEdge& e : edges) {
    KINEGRAD_DEMAND(e.body1 != e.body2 && e.body1 >= 0 && e.body2 >= 0);
    KINEGRAD_DEMAND(e.body1 < body_count && e.body2 < body_count);
  }
  return TreeMaker(body_count, edges).make();
}

std::string describe(CutReason reason) {
  switch (reason) {
    case CutReason::kAsked: return "asked for by cut: true";
    case CutReason::kSpherical: return "spherical joints are cut first";
    case CutReason::kMostCoordinates: return "most coordinates of its loop";
    case CutReason::kUnused: return "its coordinate is not used elsewhere";
    case CutReason::kDepth: return "smallest sum of tree depths";
    case CutReason::kFileOrder: return "first in the file among equals";
    case CutReason::kOnlyChoice: return "no other joint of the loop would do";
  }
  return {};
}

}  // namespace kinegrad
