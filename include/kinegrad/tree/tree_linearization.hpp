// What the derivatives of a tree share, as plain values (docs/theory/dynamics.md, [DP]): the bodies and
// their joints' columns at one common point x₀, and the sums that a pull-back carries to the root.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kinegrad/tree/halves.hpp"
#include "kinegrad/tree/tree_motion.hpp"

namespace kinegrad {

/// Cotangents of everything the residual depends on; each is added to. No p: parameters are left out;
/// no q: coordinates, speeds and accelerations are.
struct ResidualCotangent {
  std::span<double> q, v, a, p;
};

/// A body at the common point; f is the force it wants, applied ones subtracted [D-5].
struct LinearizedBody {
  Twist<double> V, A, f;
  RigidInertia<double> I;
  Mat3 R_WB;
};

struct TreeLinearization {
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic>;

  explicit TreeLinearization(const TreeParameters<double>& tree)
      : bodies(tree.nodes.size()),
        S(6, tree.model.nq()),
        Sdot(6, tree.model.nq()),
        Sddot(6, tree.model.nq()),
        S1(6, tree.model.nq()),
        S2(6, tree.model.nq()) {}

  double t = 0;
  bool inertia_only = false;  ///< M(q) u alone: at rest, without forces
  std::vector<double> q;
  Vec3 x0 = Vec3::Zero(), field = Vec3::Zero();
  std::vector<LinearizedBody> bodies;  ///< by node
  Columns S, Sdot, Sddot, S1, S2;      ///< S′ and S″: rates of the columns seen in F

  const LinearizedBody& body(int node) const { return bodies[static_cast<std::size_t>(node)]; }
  Twist<double> V_of(int node) const { return node < 0 ? Twist<double>::Zero() : body(node).V; }
  /// Accelerations are less the uniform field: the ground falls upwards.
  Twist<double> A_of(int node) const {
    if (node >= 0) return body(node).A;
    Twist<double> ground = Twist<double>::Zero();
    if (!inertia_only) ground.tail<3>() = -field;
    return ground;
  }
  /// R_WB; the identity for the ground.
  Mat3 rotation(int node) const { return node < 0 ? Mat3(Mat3::Identity()) : body(node).R_WB; }
};

/// The sums of [DP-4] over everything beyond a joint.
struct BeyondSums {
  Twist<double> f, y, z, g;
};

/// What of a body and its joint has entries of p whose cotangents are wanted.
struct ActiveParts {
  bool mass = true, inboard = true, outboard = true;
};

/// A pull-back on its way: the weights as a motion of the bodies, what has been accumulated, and the
/// entries of p whose cotangents are wanted.
struct TreeCotangent {
  explicit TreeCotangent(std::size_t nodes) : W(nodes), beyond(nodes), active_parts(nodes) {}

  const Twist<double>& weight(int node) const {
    return node < 0 ? W_ground : W[static_cast<std::size_t>(node)];
  }
  BeyondSums& at(int node) { return beyond[static_cast<std::size_t>(node)]; }
  bool active(int first, int count) const {
    return p_active.empty() ||
           std::any_of(p_active.begin() + first, p_active.begin() + first + count,
                       [](char c) { return c != 0; });
  }

  std::vector<Twist<double>> W;                    ///< by node
  Twist<double> W_ground = Twist<double>::Zero();  ///< not zero only for a reaction on the ground
  std::vector<BeyondSums> beyond;                  ///< by node
  std::vector<char> p_active;                      ///< by entry of p, empty: all
  std::vector<ActiveParts> active_parts;           ///< by node
};

/// The force f at the place r as a wrench at the common point.
inline Twist<double> wrench_at(const Vec3& r, const Vec3& f) {
  Twist<double> F;
  F << la::cross(r, f), f;
  return F;
}

/// Velocity of the place r in the motion V.
inline Vec3 field_at(const Twist<double>& V, const Vec3& r) {
  return V.tail<3>() + la::cross(V.head<3>(), r);
}

/// Cotangents of a point's position and velocity, and the turning of the lever of a force on it that
/// keeps its direction in the world [DP-5]; r from x₀.
inline void accumulate_point(int node, const Vec3& r, const Vec3& rdot, const Vec3& lever,
                             const Vec3& r_bar, const Vec3& rdot_bar, TreeCotangent& out) {
  if (node < 0) return;
  BeyondSums& s = out.at(node);
  s.g += wrench_at(r, r_bar);
  s.g.head<3>() += la::cross(lever, field_at(out.weight(node), r));
  s.z += wrench_at(r, rdot_bar);
  s.g.head<3>() += la::cross(rdot, rdot_bar);
}

/// The coordinates of a point in its body at p[first …]: r = … + R c, ṙ = … + ω×R c, and the lever of
/// the force e on it.
void accumulate_point_coordinates(const TreeLinearization& at, const TreeCotangent& sums, int node,
                                  int first, const Vec3& e, const Vec3& r_bar, const Vec3& rdot_bar,
                                  std::span<double> p_bar);

/// The cotangent of columns that are fixed in their carrier, Ṡ = V×S and S̈ = A×S + V×(V×S), in [DP-4].
Halves<double> frozen_column(const TreeLinearization& at, const TreeCotangent& sums, int node,
                             const BeyondSums& beyond);

/// The columns of a frame at `origin` (from x₀) on its body are shifts and turns [K-8]; G is their
/// cotangent, `p` holds the frame.
void accumulate_frame(const TreeLinearization& at, std::span<const double> p, FrameBlock block,
                      int node, const Vec3& origin, const Halves<double>& G, double sign,
                      std::span<double> p_bar);

}  // namespace kinegrad
