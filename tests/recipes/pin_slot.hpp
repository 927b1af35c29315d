// The joint of docs/howto/add_a_joint.md.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/rotation.hpp"

namespace kinegrad {

// Pin in a slot: Mo slides along x_F by q₁, and M turns about z_F, there, by q₂.
//
//   R_FM = R_z(q₂)   p_FM = q₁ x        H = [0, z; x, −q₁ y],  Ḣ = [0, 0; 0, −v₁ y],  Ḧ = [0, 0; 0, −a₁ y]
struct PinSlot {
  static constexpr std::string_view name = "slot";  // the word in model files
  static constexpr std::string_view summary = "sliding along a slot and turning in it";
  static constexpr int nq = 2;  // coordinates
  static constexpr int nc = 0;  // normalisation constraints of its own
  static constexpr JointAxes axes =
      JointAxes::kOne;  // directions that place it: z, and a reference for x
  static constexpr std::array<CoordinateInfo, nq> coordinates{
      {{"slide", CoordinateKind::kLength}, {"angle", CoordinateKind::kAngle}}};
  // where it closes a loop: Mo on the slot's line, and z_M across x_F and y_F
  static constexpr std::array<ClosurePiece, 4> closure{{{ClosurePiece::Kind::kOffset, 1},
                                                        {ClosurePiece::Kind::kOffset, 2},
                                                        {ClosurePiece::Kind::kDot, 0, 2},
                                                        {ClosurePiece::Kind::kDot, 1, 2}}};

  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return {rotation_z(q(1)), Vec3T<T>(q(0), T(0), T(0))};
  }
  // The axis of the turn passes through Mo, so Fo moves under it with −q₁ y.
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>& q) {
    Mat<T, 6, nq> H = Mat<T, 6, nq>::Constant(T(0));
    H(3, 0) = T(1);
    H(2, 1) = T(1);
    H(4, 1) = -q(0);
    return H;
  }
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>&, const Vec<T, nq>& v) {
    Mat<T, 6, nq> H_dot = Mat<T, 6, nq>::Constant(T(0));
    H_dot(4, 1) = -v(0);
    return H_dot;
  }
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>&, const Vec<T, nq>&, const Vec<T, nq>& a) {
    Mat<T, 6, nq> H_ddot = Mat<T, 6, nq>::Constant(T(0));
    H_ddot(4, 1) = -a(0);
    return H_ddot;
  }
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_FM) {
    return {X_FM.p(0), angle_of(X_FM.R(0, 0), X_FM.R(1, 0))};
  }
  // v₁ = x·v, and v₂ minimises (v₂ − ω_z)² + (q₁v₂ + v_y)².
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>& q, const Twist<T>& V_FM) {
    return {V_FM(3), (V_FM(2) - q(0) * V_FM(4)) / (T(1) + q(0) * q(0))};
  }
};

}  // namespace kinegrad
