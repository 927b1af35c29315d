// Rectangular joint: Mo moves by (q₁, q₂) along x_F, y_F, and M does not turn
// (docs/theory/joints.md, [RE]). The axis of the joint is the normal of the plane, as that of a planar one.
//
//   R_FM = I,  p_FM = (q₁, q₂, 0)        H = [0, 0; x, y]
#pragma once

#include "kinegrad/joints/joint_concept.hpp"

namespace kinegrad {

struct Rectangular {
  static constexpr std::string_view name = "rectangular";
  static constexpr std::string_view summary = "translation in a plane without rotation";
  static constexpr int nq = 2;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kOne;
  static constexpr std::array<CoordinateInfo, nq> coordinates{
      {{"x", CoordinateKind::kLength}, {"y", CoordinateKind::kLength}}};
  static constexpr std::array<ClosurePiece, 4> closure{{{ClosurePiece::Kind::kOffset, 2},
                                                        {ClosurePiece::Kind::kDot, 0, 1},
                                                        {ClosurePiece::Kind::kDot, 1, 2},
                                                        {ClosurePiece::Kind::kDot, 2, 0}}};
  static constexpr std::array<ClosurePiece, 3> redundant_closure{
      {{ClosurePiece::Kind::kSame, 2},
       {ClosurePiece::Kind::kSame, 0},
       {ClosurePiece::Kind::kOffset, 2}}};

  /// R_FM = I, p_FM = (q₁, q₂, 0).
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {Mat3T<T>::Identity(), Vec3T<T>(q(0), q(1), T(0))};
  }
  /// H = [0, 0; x, y], constant.
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>&) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H(3, 0) = T(1);
    H(4, 1) = T(1);
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
  /// q = (x·p_FM, y·p_FM).
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return {X_FM.p(0), X_FM.p(1)};
  }
  /// v = (x·v_Fo, y·v_Fo).
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>&, const Twist<T>& V_FM) {
    return {V_FM(3), V_FM(4)};
  }
};

}  // namespace kinegrad
