// Revolute joint: M turns about z_F = z_M by the angle q (docs/theory/joints.md, [R]).
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/rotation.hpp"

namespace kinegrad {

struct Revolute {
  static constexpr std::string_view name = "revolute";
  static constexpr std::string_view summary = "rotation about one axis";
  static constexpr int nq = 1;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kOne;
  static constexpr SimpleMotion simple_motion = SimpleMotion::kTurn;
  static constexpr std::array<CoordinateInfo, nq> coordinates{{{"angle", CoordinateKind::kAngle}}};
  static constexpr std::array<ClosurePiece, 3> closure{{{ClosurePiece::Kind::kCoincident},
                                                        {ClosurePiece::Kind::kDot, 0, 2},
                                                        {ClosurePiece::Kind::kDot, 1, 2}}};
  static constexpr std::array<ClosurePiece, 2> redundant_closure{
      {{ClosurePiece::Kind::kCoincident}, {ClosurePiece::Kind::kSame, 2}}};

  /// R_FM = R_z(q), p_FM = 0.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {rotation_z(q(0)), Vec3T<T>::Constant(T(0))};
  }
  /// H = [z; 0], constant.
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>&) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H(2, 0) = T(1);
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
  /// q = atan2(y_F·x_M, x_F·x_M).
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return Vec<T, nq>(angle_of(X_FM.R(0, 0), X_FM.R(1, 0)));
  }
  /// v = z·ω.
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>&, const Twist<T>& V_FM) {
    return Vec<T, nq>(V_FM(2));
  }
};

}  // namespace kinegrad
