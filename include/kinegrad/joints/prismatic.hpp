// Prismatic joint: M slides along z_F = z_M by the distance q (docs/theory/joints.md, [P]).
#pragma once

#include "kinegrad/joints/joint_concept.hpp"

namespace kinegrad {

struct Prismatic {
  static constexpr std::string_view name = "prismatic";
  static constexpr std::string_view summary = "translation along one axis";
  static constexpr int nq = 1;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kOne;
  static constexpr SimpleMotion simple_motion = SimpleMotion::kShift;
  static constexpr std::array<CoordinateInfo, nq> coordinates{
      {{"translation", CoordinateKind::kLength}}};
  static constexpr std::array<ClosurePiece, 5> closure{{{ClosurePiece::Kind::kOffset, 0},
                                                        {ClosurePiece::Kind::kOffset, 1},
                                                        {ClosurePiece::Kind::kDot, 0, 1},
                                                        {ClosurePiece::Kind::kDot, 1, 2},
                                                        {ClosurePiece::Kind::kDot, 2, 0}}};
  static constexpr std::array<ClosurePiece, 3> redundant_closure{{{ClosurePiece::Kind::kSame, 2},
                                                                  {ClosurePiece::Kind::kAligned, 2},
                                                                  {ClosurePiece::Kind::kSame, 0}}};

  /// R_FM = I, p_FM = q z.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {Mat3T<T>::Identity(), Vec3T<T>(T(0), T(0), q(0))};
  }
  /// H = [0; z], constant.
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>&) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H(5, 0) = T(1);
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
  /// q = z·p_FM.
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return Vec<T, nq>(X_FM.p(2));
  }
  /// v = z·v_Fo.
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>&, const Twist<T>& V_FM) {
    return Vec<T, nq>(V_FM(5));
  }
};

}  // namespace kinegrad
