// The pull-back of the residual of a tree in O(n) (docs/theory/dynamics.md). Contracted with weights w (the
// motion W = Σ S_i w_i of the bodies), wᵀr is a sum over bodies and its derivative with respect to any
// column is                                                                                  [DP-4]
//
//   −Sᵀ(W×*f_Σ) + S̈ᵀ y + Ṡᵀ z + Sᵀ g,   y = Σ I W,  z = Σ BᵀW + (ports),  g = (ports)
//
// with W of the body that carries the column; one sweep adds up y, z, g, f for all joints. Whoever
// reads points and directions of the tree (constraints, signals) adds to y, z and g the cotangents of
// their positions, velocities and accelerations                                              [DP-7]
//
//   g += [r×r̄ + ṙ×ṙ̄ + r̈×r̈̄; r̄]    z += [r×ṙ̄ + 2ṙ×r̈̄; ṙ̄]    y += [r×r̈̄; r̈̄]     (directions: no forces)
//
// between begin_pullback() and finish_pullback(), and gets what depends on the motion from the same sweep.
// Forces within the tree, energies and the relative motion of frames are added there, too
// (docs/theory/signals.md).
#pragma once

#include <span>

#include "kinegrad/tree/linearized_tree.hpp"

namespace kinegrad {

/// Only entries of p that are marked need cotangents from now on; the others may be left out.
void set_active(const TreeParameters<double>& tree, std::span<const char> p_active,
                TreeCotangent& sums);

/// W and what the bodies themselves have of wᵀr; an empty w pulls back what is added afterwards alone.
void begin_pullback(LinearizedTree& L, std::span<const double> w, std::span<double> p_bar);
/// From the leaves to the root, to the cotangents of coordinates, speeds, accelerations and frames.
void finish_pullback(LinearizedTree& L, std::span<const double> w, const ResidualCotangent& out);
/// Adds Σ W·f of the bodies with motions W that are fixed in the world [SG-2].
void pull_fixed_motion(LinearizedTree& L, std::span<double> p_bar);
/// Adds weight times the kinetic energy [SG-4].
void pull_kinetic_energy(LinearizedTree& L, double weight, std::span<double> p_bar);
/// Σ m v_w: the cotangent of −g of uniform fields.
Vec3 field_weight(const LinearizedTree& L);

/// Cotangents of the position, velocity and acceleration of a point or direction in the world.
struct VectorCotangent {
  Vec3 x = Vec3::Zero(), xdot = Vec3::Zero(), xddot = Vec3::Zero();
};

/// A point or direction of a body as the sweeps see it, accelerations less the uniform field.
struct VectorState {
  int node = -1;
  bool is_point = true;
  Vec3 x, xdot, xddot;
};

/// g, z and y of a vector's cotangents [DP-7].
struct VectorSums {
  Halves<double> g, z, y;
};
inline VectorSums vector_sums(const VectorState& s, const Vec3& x0, const VectorCotangent& bar) {
  using Part = Triple<double>;
  const Part r = s.is_point ? Part(s.x) - Part(x0) : Part(s.x), rdot(s.xdot), rddot(s.xddot);
  const Part x(bar.x), xdot(bar.xdot), xddot(bar.xddot);
  const auto lower = [&](const Part& f) { return s.is_point ? f : Part::zero(); };
  return {{cross(r, x) + cross(rdot, xdot) + cross(rddot, xddot), lower(x)},
          {cross(r, xdot) + cross(rdot, xddot) * 2.0, lower(xdot)},
          {cross(r, xddot), lower(xddot)}};
}

/// A vector with the coordinates c in axes of the frame M of its node; in world axes on the ground.
VectorState vector_state(const TreeMotion<double>& motion, int node, bool is_point, const Vec3& c);
/// Adds a vector's cotangents to the sums [DP-7].
void pull_vector(LinearizedTree& L, const VectorState& s, const VectorCotangent& bar);
/// The vector's own coordinates in its body, at p[first …]: x = … + R c, and the force F on it whose
/// power F·ẋ_w in the weights' motion is part of what is pulled back.
void pull_vector_coordinates(const LinearizedTree& L, const VectorState& s, int first,
                             const Vec3& force, const VectorCotangent& bar,
                             std::span<double> p_bar);
/// A force on a vector keeps its direction while the sweep carries it along [DP-5].
void pull_lever(LinearizedTree& L, const VectorState& s, const Vec3& force);
/// ẋ_w: the rate of the vector in the weights' motion.
Vec3 weight_rate(const LinearizedTree& L, const VectorState& s);

}  // namespace kinegrad
