// What a joint struct must offer, and the adapters that make it a JointModel.
//
// A joint is a stateless struct: sizes, names, and functions templated on the scalar. Listing it in
// joints/all.hpp gives it its place in the catalogue, its reversed twin and its conformance tests.
#pragma once

#include <array>

#include "kinegrad/math/symbolic.hpp"
#include "kinegrad/model/joint_model.hpp"

namespace kinegrad {

template <typename J, typename T>
concept JointOver = requires(const Vec<T, J::nq>& q, const Pose<T>& X, const Twist<T>& V) {
  { J::template pose<T>(q) } -> std::same_as<Pose<T>>;
  { J::template motion<T>(q) } -> std::same_as<Mat<T, 6, J::nq>>;
  { J::template motion_dot<T>(q, q) } -> std::same_as<Mat<T, 6, J::nq>>;
  { J::template motion_ddot<T>(q, q, q) } -> std::same_as<Mat<T, 6, J::nq>>;
  { J::template coordinates_of<T>(X) } -> std::same_as<Vec<T, J::nq>>;
  { J::template speeds_of<T>(q, V) } -> std::same_as<Vec<T, J::nq>>;
};

/// name, summary, nq, nc (normalisations), axes, coordinates, closure, and the functions [J-1],
/// [J-2]. Where the source has a redundant set of closure equations, redundant_closure is that.
template <typename J>
concept JointStruct =
    JointOver<J, double> && JointOver<J, Complex> && JointOver<J, Dual> && requires {
  { J::name } -> std::convertible_to<std::string_view>;
  { J::summary } -> std::convertible_to<std::string_view>;
  { J::nc } -> std::convertible_to<int>;
  { J::axes } -> std::convertible_to<JointAxes>;
  requires J::coordinates.size() == J::nq;
  {std::span<const ClosurePiece>(J::closure)};
};

/// The joint seen from its second body: X_MF = X_FM⁻¹ and, with X = X_FM and V = H v,
///
///   H'  = −Ad(X⁻¹) H                                                                  [J-3]
///   Ḣ' = −Ad(X⁻¹)(Ḣ − V×H)
///   Ḧ' = −Ad(X⁻¹)(Ḧ − 2V×Ḣ − V̇×H + V×(V×H))
template <typename J>
struct Reversed {
  static constexpr std::string_view name = J::name;
  static constexpr std::string_view summary = J::summary;
  static constexpr int nq = J::nq;
  static constexpr int nc = J::nc;
  static constexpr JointAxes axes = J::axes;
  static constexpr auto coordinates = J::coordinates;
  static constexpr auto closure = J::closure;

  template <typename T>
  static Pose<T> pose(const Vec<T, nq>& q) {
    return J::template pose<T>(q).inverse();
  }
  template <typename T>
  static Mat<T, 6, nq> motion(const Vec<T, nq>& q) {
    return carried(J::template pose<T>(q), J::template motion<T>(q));
  }
  template <typename T>
  static Mat<T, 6, nq> motion_dot(const Vec<T, nq>& q, const Vec<T, nq>& v) {
    const Mat<T, 6, nq> H = J::template motion<T>(q);
    const Mat<T, 6, nq> Hdot = J::template motion_dot<T>(q, v);
    const Twist<T> V = H * v;
    return carried(J::template pose<T>(q), (Hdot - crossed(V, H)).eval());
  }
  template <typename T>
  static Mat<T, 6, nq> motion_ddot(const Vec<T, nq>& q, const Vec<T, nq>& v, const Vec<T, nq>& a) {
    const Mat<T, 6, nq> H = J::template motion<T>(q);
    const Mat<T, 6, nq> Hdot = J::template motion_dot<T>(q, v);
    const Mat<T, 6, nq> Hddot = J::template motion_ddot<T>(q, v, a);
    const Twist<T> V = H * v;
    const Twist<T> Vdot = H * a + Hdot * v;
    return carried(
        J::template pose<T>(q),
        (Hddot - crossed(V, Hdot) * T(2) - crossed(Vdot, H) + crossed(V, crossed(V, H))).eval());
  }
  template <typename T>
  static Vec<T, nq> coordinates_of(const Pose<T>& X_MF) {
    return J::template coordinates_of<T>(X_MF.inverse());
  }
  template <typename T>
  static Vec<T, nq> speeds_of(const Vec<T, nq>& q, const Twist<T>& V_MF) {
    const Twist<T> V_FM = -transform_twist(J::template pose<T>(q), V_MF);
    return J::template speeds_of<T>(q, V_FM);
  }

 private:
  // A column of a 6 × 0 matrix is no vector to Eigen, hence nq > 0.

  /// −Ad(X⁻¹) applied to every column.
  template <typename T>
  static Mat<T, 6, nq> carried(const Pose<T>& X, const Mat<T, 6, nq>& W) {
    Mat<T, 6, nq> out;
    if constexpr (nq > 0) {
      const Pose<T> X_MF = X.inverse();
      for (int k = 0; k < nq; ++k) out.col(k) = -transform_twist(X_MF, W.col(k));
    }
    return out;
  }
  /// V× applied to every column.
  template <typename T>
  static Mat<T, 6, nq> crossed(const Twist<T>& V, const Mat<T, 6, nq>& W) {
    Mat<T, 6, nq> out;
    if constexpr (nq > 0) {
      for (int k = 0; k < nq; ++k) out.col(k) = twist_cross(V, W.col(k));
    }
    return out;
  }
};

namespace internal {

template <typename J, typename Base, typename T>
class JointFunctionsAdapter : public Base {
 public:
  using Base::coordinates_of;
  using Base::motion;
  using Base::motion_ddot;
  using Base::motion_dot;
  using Base::pose;
  using Base::speeds_of;

  Pose<T> pose(const JointVector<T>& q) const override { return J::template pose<T>(q); }
  JointColumns<T> motion(const JointVector<T>& q) const override {
    return J::template motion<T>(q);
  }
  JointColumns<T> motion_dot(const JointVector<T>& q, const JointVector<T>& v) const override {
    return J::template motion_dot<T>(q, v);
  }
  JointColumns<T> motion_ddot(const JointVector<T>& q, const JointVector<T>& v,
                              const JointVector<T>& a) const override {
    return J::template motion_ddot<T>(q, v, a);
  }
  JointVector<T> coordinates_of(const Pose<T>& X_FM) const override {
    return J::template coordinates_of<T>(X_FM);
  }
  JointVector<T> speeds_of(const JointVector<T>& q, const Twist<T>& V_FM) const override {
    return J::template speeds_of<T>(q, V_FM);
  }
};

}  // namespace internal

/// JointModel made from a joint struct. `joint_model<J>()` is its one instance.
template <JointStruct J, JointStruct Opposite>
class JointAdapter final : public internal::JointFunctionsAdapter<
                               J, internal::JointFunctionsAdapter<J, JointModel, double>, Complex> {
 public:
  std::string_view name() const override { return J::name; }
  std::string_view summary() const override { return J::summary; }
  std::span<const CoordinateInfo> coordinates() const override { return J::coordinates; }
  int normalisations() const override { return J::nc; }
  JointAxes axes() const override { return J::axes; }
  SimpleMotion simple_motion() const override {
    if constexpr (requires { J::simple_motion; }) {
      return J::simple_motion;
    } else {
      return SimpleMotion::kNone;
    }
  }
  bool carries_natural() const override {
    if constexpr (requires { J::carries_natural; }) {
      return J::carries_natural;
    } else {
      return false;
    }
  }
  std::span<const ClosurePiece> closure(bool redundant) const override {
    if constexpr (requires { J::redundant_closure; }) {
      if (redundant) return J::redundant_closure;
    }
    return J::closure;
  }
  std::vector<Symbol> placed_coordinates(const Pose<Symbol>& X_FM) const override {
    const Vec<Symbol, J::nq> q = J::template coordinates_of<Symbol>(X_FM);
    return {q.begin(), q.end()};
  }
  const JointModel& reversed() const override { return JointAdapter<Opposite, J>::instance(); }

  static const JointModel& instance() {
    static const JointAdapter model;
    return model;
  }
};

/// The one instance of the model of joint struct J; its reversed().reversed() is itself.
template <JointStruct J>
const JointModel& joint_model() {
  return JointAdapter<J, Reversed<J>>::instance();
}

}  // namespace kinegrad
