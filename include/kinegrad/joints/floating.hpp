// Floating joint: the six freedoms of M in F, q = (r, p) with r = p_FM and p Euler parameters
// (docs/theory/joints.md, [F]).
//
//   R_FM = A(p),  p_FM = r        H = [0, L; I, r̃L],  L = 2Ē/(pᵀp)         [EP-1], [EP-2]
//
// The twist is taken at Fo, where the body's point has the velocity ṙ − ω×r: hence r̃L.
// CAUTION: the source anchors this joint at the centre of mass; here Mo is any point of the body.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/euler_parameters.hpp"

namespace kinegrad {

struct Floating {
  static constexpr std::string_view name = "floating";
  static constexpr std::string_view summary = "free motion, position and Euler parameters";
  static constexpr int nq = 7;
  static constexpr int nc = 1;
  static constexpr JointAxes axes = JointAxes::kNone;
  static constexpr std::array<CoordinateInfo, nq> coordinates{
      {{"x", CoordinateKind::kLength},
       {"y", CoordinateKind::kLength},
       {"z", CoordinateKind::kLength},
       {"e0", CoordinateKind::kEulerParameter},
       {"e1", CoordinateKind::kEulerParameter},
       {"e2", CoordinateKind::kEulerParameter},
       {"e3", CoordinateKind::kEulerParameter}}};
  static constexpr std::array<ClosurePiece, 0> closure{};

  /// R_FM = A(p), p_FM = r.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {euler_rotation<T>(rotation(q)), translation(q)};
  }
  /// H = [0, L; I, r̃L].
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>& q) {
    const Mat<T, 3, 4> L = euler_rate_map<T>(rotation(q));
    Mat<T, 6, nq> H = columns(L, (la::skew(translation(q)) * L).eval());
    for (int k = 0; k < 3; ++k) H(3 + k, k) = T(1);
    return H;
  }
  /// Ḣ = [0, L̇; 0, ṙ~L + r̃L̇].
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>& q, const Vec<T, nq>& v) {
    const Vec<T, 4> p = rotation(q), pdot = rotation(v);
    const Mat<T, 3, 4> L = euler_rate_map<T>(p);
    const Mat<T, 3, 4> Ldot = euler_rate_map_dot<T>(p, pdot);
    return columns(Ldot, (la::skew(translation(v)) * L + la::skew(translation(q)) * Ldot).eval());
  }
  /// Ḧ = [0, L̈; 0, r̈~L + 2ṙ~L̇ + r̃L̈].
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>& q, const Vec<T, nq>& v, const Vec<T, nq>& a) {
    const Vec<T, 4> p = rotation(q), pdot = rotation(v), pddot = rotation(a);
    const Mat<T, 3, 4> L = euler_rate_map<T>(p);
    const Mat<T, 3, 4> Ldot = euler_rate_map_dot<T>(p, pdot);
    const Mat<T, 3, 4> Lddot = euler_rate_map_ddot<T>(p, pdot, pddot);
    return columns(Lddot, (la::skew(translation(a)) * L + la::skew(translation(v)) * Ldot * T(2) +
                           la::skew(translation(q)) * Lddot)
                              .eval());
  }
  /// r = p_FM; unit p, of p and −p the one whose largest component is positive.
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return joined(X_FM.p, euler_parameters<T>(X_FM.R));
  }
  /// ṙ = v_Fo + ω×r, ṗ = ½ Ēᵀω (then pᵀṗ = 0, see the spherical joint).
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>& q, const Twist<T>& V_FM) {
    const Vec3T<T> w = V_FM.template head<3>();
    const Vec3T<T> rdot = V_FM.template tail<3>() + la::cross(w, translation(q));
    return joined(rdot, (euler_E<T>(rotation(q)).transpose() * w * T(0.5)).eval());
  }

 private:
  template <typename T>
  static Vec3T<T> translation(const Vec<T, nq>& q) {
    return q.template head<3>();
  }
  template <typename T>
  static Vec<T, 4> rotation(const Vec<T, nq>& q) {
    return q.template tail<4>();
  }
  template <typename T>
  static Vec<T, nq> joined(const Vec3T<T>& r, const Vec<T, 4>& p) {
    Vec<T, nq> q;
    q << r, p;
    return q;
  }
  /// [0, W; 0, U].
  template <typename T>
  static Mat<T, 6, nq> columns(const Mat<T, 3, 4>& W, const Mat<T, 3, 4>& U) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H.template topRightCorner<3, 4>() = W;
    H.template bottomRightCorner<3, 4>() = U;
    return H;
  }
};

}  // namespace kinegrad
