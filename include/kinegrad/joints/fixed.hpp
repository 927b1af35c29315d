// Fixed joint: M is F (docs/theory/joints.md, [X]). No coordinates, H has no columns.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"

namespace kinegrad {

struct Fixed {
  static constexpr std::string_view name = "fixed";
  static constexpr std::string_view summary = "no relative motion";
  static constexpr int nq = 0;
  static constexpr int nc = 0;
  static constexpr JointAxes axes = JointAxes::kNone;
  static constexpr std::array<CoordinateInfo, nq> coordinates{};
  static constexpr std::array<ClosurePiece, 4> closure{{{ClosurePiece::Kind::kCoincident},
                                                        {ClosurePiece::Kind::kDot, 0, 1},
                                                        {ClosurePiece::Kind::kDot, 1, 2},
                                                        {ClosurePiece::Kind::kDot, 2, 0}}};
  static constexpr std::array<ClosurePiece, 3> redundant_closure{{{ClosurePiece::Kind::kCoincident},
                                                                  {ClosurePiece::Kind::kSame, 0},
                                                                  {ClosurePiece::Kind::kSame, 2}}};

  /// R_FM = I, p_FM = 0.
  template <typename T>
  static Pose<T> pose(const Vec<T, nq>&) {
    return {};
  }
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>&) {
    return {};
  }
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>&, const Vec<T, nq>&) {
    return {};
  }
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>&, const Vec<T, nq>&, const Vec<T, nq>&) {
    return {};
  }
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>&) {
    return {};
  }
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>&, const Twist<T>&) {
    return {};
  }
};

}  // namespace kinegrad
