// The motion of a tree as plain values: what the sweeps from the root to the leaves write and everyone
// else reads. World axes; a body's quantities are taken at its reference point o, its centre of mass or the
// world origin. With S the joint's columns at o, V_h the parent's motion taken at o, and A the spatial
// acceleration (the rate of the motion seen at a fixed place, so that it shifts like V):
//
//   V = V_h + S v            A = A_h + S a + c,   c = V_h×(S v) + S′v                         [D-4]
//
// S′ is the rate of the columns seen in F. Accelerations are less the uniform fields: the ground falls upwards.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "kinegrad/tree/rigid_inertia.hpp"
#include "kinegrad/tree/tree_parameters.hpp"

namespace kinegrad {

template <Scalar T>
struct BodyMotion {
  Mat3T<T> R_WM;
  Vec3T<T> r_WM;
  Vec3T<T> o;        ///< reference point
  Vec3T<T> d;        ///< from the parent's reference point; r_WM from the common one
  Twist<T> V, bias;  ///< motion; c of [D-4]
  Twist<T> A;
  RigidInertia<T> I;
};

template <Scalar T>
struct TreeMotion {
  explicit TreeMotion(const TreeParameters<T>& tree)
      : bodies(tree.nodes.size()),
        S(6, tree.model.nq()),
        turns(static_cast<std::size_t>(tree.model.nq())) {}

  const BodyMotion<T>& body(int node) const { return bodies[static_cast<std::size_t>(node)]; }

  std::span<const T> q, v;                    ///< the state that the forces were read at
  std::vector<BodyMotion<T>> bodies;          ///< by node
  Eigen::Matrix<T, 6, Eigen::Dynamic> S;      ///< columns at the bodies' reference points
  Vec3T<T> field = Vec3T<T>::Constant(T(0));  ///< sum of the uniform fields
  std::vector<std::pair<T, T>> turns;         ///< cos q, sin q by coordinate, of revolute joints
};

/// Places the bodies, for those who read positions: poses, reference points, columns and inertias.
template <Scalar T>
void place_bodies(const TreeParameters<T>& tree, std::span<const T> q, TreeMotion<T>& motion);
/// Moves them: the same and V and c.
template <Scalar T>
void move_bodies(const TreeParameters<T>& tree, std::span<const T> q, std::span<const T> v,
                 TreeMotion<T>& motion);
/// A of bodies that move.
template <Scalar T>
void accelerate_bodies(const TreeParameters<T>& tree, std::span<const T> a, TreeMotion<T>& motion);

/// A point's position and velocity, or a direction and its rate, in the world.
template <Scalar T>
struct PointState {
  Vec3T<T> r, rdot;
};

template <Scalar T>
PointState<T> point_state(const TreeMotion<T>& motion, const BodyPlace<T>& point) {
  if (point.node < 0) return {point.c, Vec3T<T>::Constant(T(0))};
  const BodyMotion<T>& s = motion.body(point.node);
  const Vec3T<T> r = s.r_WM + s.R_WM * point.c;
  return {r, s.V.template tail<3>() + la::cross(s.V.template head<3>(), (r - s.o).eval())};
}

template <Scalar T>
PointState<T> direction_state(const TreeMotion<T>& motion, const BodyPlace<T>& e) {
  if (e.node < 0) return {e.c, Vec3T<T>::Constant(T(0))};
  const BodyMotion<T>& s = motion.body(e.node);
  const Vec3T<T> r = s.R_WM * e.c;
  return {r, la::cross(s.V.template head<3>(), r)};
}

/// X_WF of the joint that carries node k.
template <Scalar T>
Pose<T> joint_frame_in_world(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                             std::size_t k) {
  const TreeBody<T>& node = tree.nodes[k];
  if (node.parent < 0) return {node.R_PF, node.p_PF};
  const BodyMotion<T>& parent = motion.body(node.parent);
  return {parent.R_WM * node.R_PF, parent.r_WM + parent.R_WM * node.p_PF};
}

/// R_WB; the identity for the ground.
template <Scalar T>
Mat3T<T> body_rotation(const TreeParameters<T>& tree, const TreeMotion<T>& motion, int node) {
  if (node < 0) return Mat3T<T>::Identity();
  return motion.body(node).R_WM * tree.X_MB[static_cast<std::size_t>(node)].R;
}

/// A frame on a body, in the world.
template <Scalar T>
Pose<T> frame_in_world(const TreeMotion<T>& motion, const BodyFrame<T>& frame) {
  if (frame.node < 0) return frame.X;
  const BodyMotion<T>& s = motion.body(frame.node);
  return {s.R_WM * frame.X.R, s.r_WM + s.R_WM * frame.X.p};
}

}  // namespace kinegrad
