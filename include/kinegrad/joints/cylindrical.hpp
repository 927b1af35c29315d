// Cylindrical joint: M slides along z_F = z_M by q₁ and turns about it by q₂
// (docs/theory/joints.md, [C]). The translation comes first, as in the source.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/rotation.hpp"

namespace kinegrad {

struct Cylindrical {
  static constexpr std::string_view name = "cylindrical";
  static constexpr std::string_view summary = "translation along one axis and rotation about it";
  static constexpr int nq = 2;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kOne;
  static constexpr std::array<CoordinateInfo, nq> coordinates{
      {{"translation", CoordinateKind::kLength}, {"angle", CoordinateKind::kAngle}}};
  static constexpr std::array<ClosurePiece, 4> closure{{{ClosurePiece::Kind::kOffset, 0},
                                                        {ClosurePiece::Kind::kOffset, 1},
                                                        {ClosurePiece::Kind::kDot, 0, 2},
                                                        {ClosurePiece::Kind::kDot, 1, 2}}};
  static constexpr std::array<ClosurePiece, 2> redundant_closure{
      {{ClosurePiece::Kind::kSame, 2}, {ClosurePiece::Kind::kAligned, 2}}};

  /// R_FM = R_z(q₂), p_FM = q₁ z.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {rotation_z(q(1)), Vec3T<T>(T(0), T(0), q(0))};
  }
  /// H = [0, z; z, 0], constant: the axis of rotation passes through Fo.
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>&) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H(5, 0) = T(1);
    H(2, 1) = T(1);
    return H;
  }
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>&, const Vec<T, nq>&) {
    return Mat<T, 6, nq>::Constant(T(0));
  }
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>&, const Vec<T, nq>&, const Vec<T, nq>&) {
    return Mat<T, 6, nq>::Constant(T(0));
  }
  /// q₁ = z·p_FM, q₂ = atan2(y_F·x_M, x_F·x_M).
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return {X_FM.p(2), angle_of(X_FM.R(0, 0), X_FM.R(1, 0))};
  }
  /// v₁ = z·v_Fo, v₂ = z·ω.
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>&, const Twist<T>& V_FM) {
    return {V_FM(5), V_FM(2)};
  }
};

}  // namespace kinegrad
