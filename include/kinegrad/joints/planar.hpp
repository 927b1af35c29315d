// Planar joint: Mo moves by (q₁, q₂) along x_F, y_F and M turns by q₃ about z_M = z_F, the normal
// (docs/theory/joints.md, [PL]).
//
//   R_FM = R_z(q₃),  p_FM = (q₁, q₂, 0)        H = [0, 0, z; x, y, p_FM×z],  p_FM×z = (q₂, −q₁, 0)
//
// The twist is taken at Fo, hence the third column. The translations are along axes of F, which do
// not turn with q₃. CAUTION: the source anchors this joint at the centres of mass; here Fo and Mo
// are any points of the bodies.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/rotation.hpp"

namespace kinegrad {

struct Planar {
  static constexpr std::string_view name = "planar";
  static constexpr std::string_view summary =
      "translation in a plane and rotation about its normal";
  static constexpr int nq = 3;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kOne;
  static constexpr std::array<CoordinateInfo, nq> coordinates{{{"x", CoordinateKind::kLength},
                                                               {"y", CoordinateKind::kLength},
                                                               {"angle", CoordinateKind::kAngle}}};
  static constexpr std::array<ClosurePiece, 3> closure{{{ClosurePiece::Kind::kOffset, 2},
                                                        {ClosurePiece::Kind::kDot, 0, 2},
                                                        {ClosurePiece::Kind::kDot, 1, 2}}};
  static constexpr std::array<ClosurePiece, 2> redundant_closure{
      {{ClosurePiece::Kind::kSame, 2}, {ClosurePiece::Kind::kOffset, 2}}};

  /// R_FM = R_z(q₃), p_FM = (q₁, q₂, 0).
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {rotation_z(q(2)), Vec3T<T>(q(0), q(1), T(0))};
  }
  /// H = [0, 0, z; x, y, p_FM×z].
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>& q) {
    Mat<T, 6, nq> H = across(q);
    H(3, 0) = T(1);
    H(4, 1) = T(1);
    H(2, 2) = T(1);
    return H;
  }
  /// Ḣ = [0; 0, 0, ṗ_FM×z].
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>&, const Vec<T, nq>& v) {
    return across(v);
  }
  /// Ḧ = [0; 0, 0, p̈_FM×z].
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>&, const Vec<T, nq>&, const Vec<T, nq>& a) {
    return across(a);
  }
  /// q₁, q₂ from p_FM, q₃ = atan2(y_F·x_M, x_F·x_M).
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return {X_FM.p(0), X_FM.p(1), angle_of(X_FM.R(0, 0), X_FM.R(1, 0))};
  }
  /// v₃ = z·ω; (v₁, v₂) = v_Fo − v₃ p_FM×z in the plane.
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>& q, const Twist<T>& V_FM) {
    return {V_FM(3) - V_FM(2) * q(1), V_FM(4) + V_FM(2) * q(0), V_FM(2)};
  }

 private:
  /// Zero but for the third column's u×z, u = (x₁, x₂, 0).
  template <typename T>
  static Mat<T, 6, nq> across(const Vec<T, nq>& x) {
    Mat<T, 6, nq> W = Mat<T, 6, nq>::Constant(T(0));
    W(3, 2) = x(1);
    W(4, 2) = -x(0);
    return W;
  }
};

}  // namespace kinegrad
