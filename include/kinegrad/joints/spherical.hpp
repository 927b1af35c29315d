// Spherical joint: Mo = Fo, the rotation by Euler parameters p = q (docs/theory/joints.md, [S]).
//
//   R_FM = A(p)        H = [L(p); 0],  L = 2Ē/(pᵀp)                       [EP-1], [EP-2]
//
// Valid for every p ≠ 0, in all four directions; pᵀp = 1 is the joint's own constraint. H p = 0.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/euler_parameters.hpp"

namespace kinegrad {

struct Spherical {
  static constexpr std::string_view name = "spherical";
  static constexpr std::string_view summary = "rotation about one point, in Euler parameters";
  static constexpr int nq = 4;
  static constexpr int nc = 1;
  static constexpr JointAxes axes = JointAxes::kNone;
  static constexpr std::array<CoordinateInfo, nq> coordinates{
      {{"e0", CoordinateKind::kEulerParameter},
       {"e1", CoordinateKind::kEulerParameter},
       {"e2", CoordinateKind::kEulerParameter},
       {"e3", CoordinateKind::kEulerParameter}}};
  static constexpr std::array<ClosurePiece, 1> closure{{{ClosurePiece::Kind::kCoincident}}};

  /// R_FM = A(p), p_FM = 0.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {euler_rotation<T>(q), Vec3T<T>::Constant(T(0))};
  }
  /// H = [L; 0].
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>& q) {
    return angular(euler_rate_map<T>(q));
  }
  /// Ḣ = [L̇; 0].
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>& q, const Vec<T, nq>& v) {
    return angular(euler_rate_map_dot<T>(q, v));
  }
  /// Ḧ = [L̈; 0].
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>& q, const Vec<T, nq>& v, const Vec<T, nq>& a) {
    return angular(euler_rate_map_ddot<T>(q, v, a));
  }
  /// Unit p; of p and −p the one whose largest component is positive.
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return euler_parameters<T>(X_FM.R);
  }
  /// v = ½ Ēᵀω: L v = ω because ĒĒᵀ = (pᵀp) I, and pᵀv = 0 because Ē p = 0, for every length of p.
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>& q, const Twist<T>& V_FM) {
    return euler_E<T>(q).transpose() * V_FM.template head<3>() * T(0.5);
  }

 private:
  /// [W; 0].
  template <typename T>
  static Mat<T, 6, nq> angular(const Mat<T, 3, 4>& W) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H.template topRows<3>() = W;
    return H;
  }
};

}  // namespace kinegrad
