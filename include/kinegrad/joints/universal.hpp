// Universal (Cardan) joint: M turns by q₁ about z_F, fixed in the first body, then by q₂ about x_M,
// fixed in the second one; z_M = z_F and x_M = x_F at q = 0 (docs/theory/joints.md, [U]).
//
//   R_FM = R_z(q₁) R_x(q₂)        H = [z, x_M; 0, 0],  x_M = (cos q₁, sin q₁, 0) in axes of F
//
// The axes stay orthogonal, so that H has full rank everywhere: there is no gimbal position.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/rotation.hpp"

namespace kinegrad {

struct Universal {
  static constexpr std::string_view name = "universal";
  static constexpr std::string_view summary = "rotations about two crossing axes, one in each body";
  static constexpr int nq = 2;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kTwo;
  static constexpr std::array<CoordinateInfo, nq> coordinates{
      {{"angle1", CoordinateKind::kAngle}, {"angle2", CoordinateKind::kAngle}}};
  static constexpr std::array<ClosurePiece, 2> closure{
      {{ClosurePiece::Kind::kCoincident}, {ClosurePiece::Kind::kDot, 2, 0}}};

  /// R_FM = R_z(q₁) R_x(q₂), p_FM = 0.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {rotation_z(q(0)) * rotation_x(q(1)), Vec3T<T>::Constant(T(0))};
  }
  /// H = [z, x_M; 0, 0].
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>& q) {
    using std::cos;
    using std::sin;
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H(2, 0) = T(1);
    H(0, 1) = cos(q(0));
    H(1, 1) = sin(q(0));
    return H;
  }
  /// ẋ_M = v₁ z × x_M (x_M does not feel the turn about itself).
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>& q, const Vec<T, nq>& v) {
    using std::cos;
    using std::sin;
    Mat<T, 6, nq> Hdot = Mat<T, 6, nq>::Constant(T(0));
    Hdot(0, 1) = -sin(q(0)) * v(0);
    Hdot(1, 1) = cos(q(0)) * v(0);
    return Hdot;
  }
  /// ẍ_M = a₁ z × x_M − v₁² x_M.
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>& q, const Vec<T, nq>& v, const Vec<T, nq>& a) {
    using std::cos;
    using std::sin;
    const T c = cos(q(0)), s = sin(q(0));
    Mat<T, 6, nq> Hddot = Mat<T, 6, nq>::Constant(T(0));
    Hddot(0, 1) = -s * a(0) - c * v(0) * v(0);
    Hddot(1, 1) = c * a(0) - s * v(0) * v(0);
    return Hddot;
  }
  /// q₁ from x_M in F, q₂ from z_F in M.
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return {angle_of(X_FM.R(0, 0), X_FM.R(1, 0)), angle_of(X_FM.R(2, 2), X_FM.R(2, 1))};
  }
  /// v₁ = z·ω, v₂ = x_M·ω (the axes are orthogonal).
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>& q, const Twist<T>& V_FM) {
    using std::cos;
    using std::sin;
    return {V_FM(2), cos(q(0)) * V_FM(0) + sin(q(0)) * V_FM(1)};
  }
};

}  // namespace kinegrad
