// Partial derivatives of the tree kinematics with respect to coordinates, speeds, accelerations and
// every geometric parameter (docs/theory/kinematics.md, [K-5] … [K-9]).
//
// A coordinate c moves everything beyond its joint like a rigid body: a point r there by
//
//   ∂r/∂q_c = u + w×(r − o)                                                                   [K-5]
//
// with a column (w, u) taken at the origin o of the frame that carries it. Because q̇ = v, the other
// partials are time derivatives of this one [K-6]:
//
//   ∂ṙ/∂q_c = u̇ + ẇ×(r − o) + w×(ṙ − ȯ)              ∂ṙ/∂v_c = ∂r/∂q_c
//   ∂r̈/∂q_c = ü + ẅ×(r − o) + 2ẇ×(ṙ − ȯ) + w×(r̈ − ö)   ∂r̈/∂v_c = 2 ∂ṙ/∂q_c   ∂r̈/∂a_c = ∂r/∂q_c
//   ∂ω/∂q_c = ẇ − ω×w        ∂ω̇/∂q_c = ẅ − ω̇×w − ω×ẇ     ∂ω̇/∂v_c = 2ẇ − ω×w                [K-7]
//
// Geometry is a frozen joint [K-8]: moving frame F on P is a coordinate carried by P whose speed is
// always zero, moving M on B one carried by B. The same formulas serve.
#pragma once

#include <array>

#include "kinegrad/assembly/tree_kinematics.hpp"

namespace kinegrad {

/// The column of one coordinate with its time derivatives; world axes, at the carrier's origin o.
struct MotionColumn {
  Vec3 w, u;
  Vec3 wdot, udot;
  Vec3 wddot, uddot;
};

/// Motion of the origin o of the frame that carries a column.
struct Carrier {
  Vec3 o, odot, oddot;
};

/// Partials of one point (or direction) with respect to all coordinates and physical parameters;
/// ∂ṙ/∂v = r_q, ∂r̈/∂v = 2 rdot_q, ∂r̈/∂a = r_q. The entries of rotation matrices in p vary along
/// rotations only: r_p dp is the derivative for every dp that keeps the frames orthogonal.
struct PointPartials {
  Eigen::Matrix3Xd r_q, rdot_q, rddot_q;
  Eigen::Matrix3Xd r_p, rdot_p, rddot_p;
};

/// Partials of a body's rotation: ∂R/∂q_c = w̃_c R, and of ω and ω̇. ∂ω/∂v = w_q.
struct RotationPartials {
  Eigen::Matrix3Xd w_q;      ///< rotation columns w_c
  Eigen::Matrix3Xd omega_q;  ///< ∂ω/∂q
  Eigen::Matrix3Xd alpha_q;  ///< ∂ω̇/∂q
  Eigen::Matrix3Xd alpha_v;  ///< ∂ω̇/∂v
  /// The same with respect to the physical parameters: turns, ∂ω/∂p, ∂ω̇/∂p.
  Eigen::Matrix3Xd w_p, omega_p, alpha_p;
};

/// All columns of the tree at one state.
class KinematicPartials {
 public:
  /// Computes the columns of every coordinate; (q, v, a) are those of the passes given.
  KinematicPartials(const Model& model, std::span<const double> p, std::span<const double> q,
                    std::span<const double> v, std::span<const double> a,
                    const PositionKinematics<double>& position,
                    const VelocityKinematics<double>& velocity,
                    const AccelerationKinematics<double>& acceleration);

  /// Partials of vectors()[index].
  void point(int index, PointPartials& out) const;
  /// Partials of a body's rotation, angular velocity and angular acceleration.
  void rotation(int body, RotationPartials& out) const;

 private:
  struct Node {
    Carrier inboard, outboard;                               ///< F on P, M on B
    std::array<MotionColumn, kMaxJointCoordinates> columns;  ///< of the joint, carried by F
    std::array<MotionColumn, 3> F_shift, F_turn;             ///< of frame F in axes of P, [K-8]
    std::array<MotionColumn, 3> M_shift, M_turn;             ///< of frame M in axes of B
  };
  struct BodyState;

  BodyState body_state(int body) const;
  void joint_columns(std::size_t k, std::span<const double> q, std::span<const double> v,
                     std::span<const double> a);
  void geometry_columns(std::size_t k);

  const Model& model_;
  std::span<const double> p_;
  const PositionKinematics<double>& position_;
  const VelocityKinematics<double>& velocity_;
  const AccelerationKinematics<double>& acceleration_;
  std::vector<Node> nodes_;
  std::vector<int> node_of_body_;
};

}  // namespace kinegrad
