// The constants of a tree at the physical parameters p: of every body its joint's frames, its mass
// properties and its axes, all in the axes of the joint's outboard frame M, which the sweeps use
// (docs/theory/dynamics.md). One value serves every pass over the tree.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/model/model.hpp"
#include "kinegrad/model/physical.hpp"
#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {

/// Where the inertia of bodies is described that a triad carries: here, or by whoever uses the tree for
/// everything else (natural coordinates).
enum class TriadInertia { kHere, kElsewhere };

/// A body and the joint that carries it.
template <Scalar T>
struct TreeBody {
  int parent = -1;  ///< node, -1: the ground
  int q = 0, nq = 0;
  SimpleMotion simple = SimpleMotion::kNone;
  const JointModel* joint = nullptr;
  int euler = -1;          ///< first Euler parameter of the joint, -1: none
  bool run = false;        ///< the next node is carried by this one
  bool fork = false;       ///< others than the next node are
  bool auxiliary = false;  ///< its body carries a state and has no energy
  Mat3T<T> R_PF;           ///< F in the parent's M
  Vec3T<T> p_PF;
  Vec3T<T> p_CF;  ///< F from the parent's centre of mass
  T mass;         ///< what fields pull at
  T m;            ///< what is moved; zero where its inertia is described elsewhere
  Vec3T<T> c;
  Mat3T<T> J;
  bool elsewhere = false;

  bool general() const { return simple == SimpleMotion::kNone; }
};

/// A point or direction on a body, in the axes of its frame M; on the ground (node -1) in world axes.
template <Scalar T>
struct BodyPlace {
  int node = -1;
  Vec3T<T> c = Vec3T<T>::Constant(T(0));
};

/// A frame on a body, likewise.
template <Scalar T>
struct BodyFrame {
  int node = -1;
  Pose<T> X;
};

template <Scalar T>
struct TreeParameters {
  /// The model must outlive the value.
  TreeParameters(const Model& model, ReferencePoint point, TriadInertia inertia);

  void set(std::span<const T> p);

  int node_of(int body) const { return node_of_body[static_cast<std::size_t>(body)]; }
  const TreeBody<T>& node(int k) const { return nodes[static_cast<std::size_t>(k)]; }
  /// The point or direction `vectors()[vector]` of the model.
  BodyPlace<T> place(int vector) const;
  /// The frame of a body at an offset of p.
  BodyFrame<T> frame(int body, FrameBlock block) const;
  /// Calls visit(c) for the coordinates that move a body: its own and its ancestors'.
  template <typename Visit>
  void each_column(int node, const Visit& visit) const {
    for (int k = node; k >= 0; k = this->node(k).parent) {
      const TreeBody<T>& n = this->node(k);
      for (int c = n.q; c < n.q + n.nq; ++c) visit(c);
    }
  }

  const Model& model;
  ReferencePoint point;
  std::vector<T> p;
  std::vector<TreeBody<T>> nodes;
  std::vector<int> node_of_body;
  std::vector<Pose<T>> X_MB;   ///< by node
  std::vector<int> run_start;  ///< first node of the straight run a node is in
};

/// First coordinates of the sets of Euler parameters of a model's tree, in the order of the tree.
std::vector<int> euler_sets_of(const Model& model);

}  // namespace kinegrad
