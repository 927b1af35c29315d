// What a direction dp of the physical parameters does to the elements of a tree, as plain values
// (docs/theory/parameter_tangents.md): changes sorted by elements, displacements of bodies, and the
// wrenches that they leave.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kinegrad/tree/tree_linearization.hpp"

namespace kinegrad {

/// Of a body's mass properties, in its axes.
struct MassChange {
  int node = 0;
  double m = 0;
  Vec3 c;
  Mat3 J;
};

/// Of a joint's frame, in the axes of the body that carries it: the parent, or outboard the node's own.
struct FrameChange {
  int node = 0;
  bool outboard = false;
  Vec3 shift, turn;
};

/// Of a point's or direction's coordinates in its body.
struct VectorChange {
  int vector = 0;
  Vec3 c;
};

struct AttributeChange {
  int force = 0;
  AttributeVector<double> d;
};

/// Of a frame that a force acts on, in the axes of its body.
struct MarkerChange {
  FrameBlock block;
  Vec3 shift, turn;
};

/// Of an input of the tapes that is an entry of p.
struct InputChange {
  int input = 0;
  double d = 0;
};

/// All that moves along one parameter.
struct ParameterDirection {
  std::vector<MassChange> masses;
  std::vector<FrameChange> frames;  ///< by node, inboard first
  std::vector<int> moved;           ///< nodes that frames displace, ascending
  std::vector<VectorChange> vectors;
  std::vector<MarkerChange> markers;
  std::vector<AttributeChange> attributes;
  std::vector<InputChange> force_inputs, constraint_inputs;
  std::vector<int> forces;  ///< those whose effort or place may change, attributes included
  bool of_state = false;    ///< coordinates and speeds change, too [TG-10]: by
  std::span<const double> dq, dv;
};

/// X, Ẋ, Ẍ of a body, and X_h of its joint's frame F [TG-3].
struct BodyDisplacement {
  Halves<double> X = Halves<double>::zero(), Xdot = X, Xddot = X, X_h = X;
};

/// What a direction displaces.
struct TreeDisplacement {
  TreeDisplacement(std::size_t nodes, std::size_t vectors)
      : bodies(nodes), moved(nodes, 0), own(vectors, Vec3::Zero()) {}

  bool moves(int node) const { return node >= 0 && moved[static_cast<std::size_t>(node)]; }
  const BodyDisplacement& of(int node) const { return bodies[static_cast<std::size_t>(node)]; }
  /// w×e: what a displacement's turn would do to a force that is carried along.
  Vec3 turned(int node, const Vec3& e) const {
    return moves(node) ? Vec3(la::cross(of(node).X.w.vector(), e)) : Vec3(Vec3::Zero());
  }
  /// The change of a frame that a force acts on; null where there is none.
  const MarkerChange* marker(FrameBlock block) const {
    for (const MarkerChange& change : direction->markers) {
      if (change.block.first == block.first) return &change;
    }
    return nullptr;
  }

  const ParameterDirection* direction = nullptr;
  std::vector<BodyDisplacement> bodies;  ///< by node
  std::vector<char> moved;               ///< by node
  std::vector<Vec3> own;                 ///< by vector: change of its coordinates
};

/// Changes of the position and velocity of a point.
struct PointTangent {
  Vec3 x = Vec3::Zero(), xdot = Vec3::Zero();
};

/// Of a point at r from x₀ that its own coordinates move by `own` in the world.
inline PointTangent point_tangent(const TreeLinearization& at, const TreeDisplacement& displacement,
                                  int node, const Vec3& r, const Vec3& rdot, const Vec3& own) {
  PointTangent out;
  out.x = own;
  if (node < 0) return out;
  out.xdot = la::cross(Vec3(at.body(node).V.head<3>()), own);
  if (!displacement.moves(node)) return out;
  const BodyDisplacement& d = displacement.of(node);
  const Triple<double> place(r);
  out.x += (d.X.v + cross(d.X.w, place)).vector();
  out.xdot += (d.Xdot.v + cross(d.Xdot.w, place) + cross(d.X.w, Triple<double>(rdot))).vector();
  return out;
}

/// δf by node at the common point, until a sweep sums it up.
struct TreeWrenches {
  explicit TreeWrenches(std::size_t nodes) : wrench(nodes, Halves<double>::zero()) {}

  void add_moment(int node, const Vec3& moment) {
    if (node < 0) return;
    wrench[static_cast<std::size_t>(node)].w += Triple<double>(moment);
    top = std::max(top, node);
  }
  void add_force(int node, const Vec3& r, const Vec3& force) {
    if (node < 0) return;
    wrench[static_cast<std::size_t>(node)].v += Triple<double>(force);
    add_moment(node, la::cross(r, force));
  }
  void add(int node, const Halves<double>& F) {
    if (node < 0) return;
    wrench[static_cast<std::size_t>(node)] += F;
    top = std::max(top, node);
  }

  std::vector<Halves<double>> wrench;
  int top = -1;  ///< the last node with a wrench
};

}  // namespace kinegrad
