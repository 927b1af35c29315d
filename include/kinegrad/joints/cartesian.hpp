// Cartesian joint: Mo moves by q along the axes of F, and M does not turn (docs/theory/joints.md, [CT]).
// It carries point masses, which have no inertia that could resist a rotation.
//
//   R_FM = I,  p_FM = q        H = [0; I]
#pragma once

#include "kinegrad/joints/joint_concept.hpp"

namespace kinegrad {

struct Cartesian {
  static constexpr std::string_view name = "cartesian";
  static constexpr std::string_view summary = "translation in space without rotation";
  static constexpr int nq = 3;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kNone;
  static constexpr std::array<CoordinateInfo, nq> coordinates{{{"x", CoordinateKind::kLength},
                                                               {"y", CoordinateKind::kLength},
                                                               {"z", CoordinateKind::kLength}}};
  static constexpr std::array<ClosurePiece, 3> closure{{{ClosurePiece::Kind::kDot, 0, 1},
                                                        {ClosurePiece::Kind::kDot, 1, 2},
                                                        {ClosurePiece::Kind::kDot, 2, 0}}};
  static constexpr std::array<ClosurePiece, 2> redundant_closure{
      {{ClosurePiece::Kind::kSame, 2}, {ClosurePiece::Kind::kSame, 0}}};

  /// R_FM = I, p_FM = q.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {Mat3T<T>::Identity(), q};
  }
  /// H = [0; I], constant.
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>&) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    for (int k = 0; k < nq; ++k) H(3 + k, k) = T(1);
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
  /// q = p_FM.
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return X_FM.p;
  }
  /// v = v_Fo.
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>&, const Twist<T>& V_FM) {
    return V_FM.template tail<3>();
  }
};

}  // namespace kinegrad
