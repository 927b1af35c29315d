// Forces by one number: a law F(s, ṡ; p) along a length or an angle s, and the four places where it acts
// (docs/theory/forces.md, [LW]). A law has a function `force`, its slopes F_s, F_ṡ, F_p and, where it has one, a potential V(s; p)
// with F(s, 0) = −∂V/∂s; a force of it has a name and attributes.
//
//   between points    s = |d|, u = d/s        e = F u                positive where it pushes the points apart
//     e_d = F_s uuᵀ + (F_ṡ/s) u (ḋ − ṡu)ᵀ + (F/s)(I − uuᵀ),   e_ḋ = F_ṡ uuᵀ,   e_p = u F_pᵀ       [LW-1]
//   joint coordinate  s = q                   e = F                                              [LW-2]
//   axis of a frame   s = d_z of marker 2 in the frame of marker 1, f = (0, 0, F) on marker 2    [LW-3]
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

/// F and its partial derivatives.
template <int N>
struct LawSlopes {
  double force = 0, by_s = 0, by_rate = 0;
  Vec<double, N> by_p = Vec<double, N>::Zero();
};

template <typename Law, typename T, int N>
concept LawWithEnergy = requires(const T& s, const Vec<T, N>& p) {
  Law::template energy<T>(s, p);
};

/// A law with branches has `switches` and their values as functions of s.                       [KN-4]
template <typename Law>
concept LawWithSwitches = requires {
  Law::switches;
};

/// What it hands on to the force.
template <typename Law>
struct LawSwitches {};
template <LawWithSwitches Law>
struct LawSwitches<Law> {
  static constexpr auto switches = Law::switches;
};

/// A law between two points.
template <typename F, typename Law>
struct PointLaw : LawSwitches<Law> {
  static constexpr PortKind port = PortKind::kPointPair;

  template <typename T>
  static Vec<T, 3> effort(const ForceInput<F, T>& in) {
    const T s = la::norm(in.x);
    if (rests(real_part(s), in)) return Vec<T, 3>::Constant(T(0));
    const Vec<T, 3> u = in.x * (T(1) / s);
    return u * Law::template force<T>(s, la::dot(u, in.xdot), in.p);
  }
  static void partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
    const double s = in.x.norm();  // holomorphic: double only
    if (rests(s, in)) {
      out.e_x.setZero();
      out.e_xdot.setZero();
      out.e_t.setZero();
      out.e_p.setZero();
      return;
    }
    const Vec3 u = in.x / s;
    const double rate = la::dot(u, in.xdot);
    const auto law = Law::slopes(s, rate, in.p);
    const Mat3 uuT = u * u.transpose();
    out.e_x = law.by_s * uuT + (law.by_rate / s) * u * (in.xdot - rate * u).transpose() +
              (law.force / s) * (Mat3::Identity() - uuT);
    out.e_xdot = law.by_rate * uuT;
    out.e_t.setZero();
    out.e_p = u * law.by_p.transpose();
  }
  template <typename T>
  static T energy(const ForceInput<F, T>& in) requires LawWithEnergy<Law, T, ForceInput<F, T>::np> {
    return Law::template energy<T>(la::norm(in.x), in.p);
  }
  static auto switch_values(const ForceInput<F, double>& in) requires LawWithSwitches<Law> {
    return Law::switch_values(in.x.norm(), in.p);  // holomorphic: double only
  }

 private:
  /// Whether the law is zero around s: a tether that hangs loose needs no direction, and its ends may coincide.
  template <typename T>
  static bool rests(double s, const ForceInput<F, T>& in) {
    if constexpr (requires { Law::rests(s, in.p); }) {
      return Law::rests(s, in.p);
    } else {
      return false;
    }
  }
};

/// A law on a joint coordinate.
template <typename F, typename Law>
struct CoordinateLaw : LawSwitches<Law> {
  static constexpr PortKind port = PortKind::kJointCoordinate;

  template <typename T>
  static Vec<T, 1> effort(const ForceInput<F, T>& in) {
    return Vec<T, 1>(Law::template force<T>(in.x(0), in.xdot(0), in.p));
  }
  static void partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
    const auto law = Law::slopes(in.x(0), in.xdot(0), in.p);
    out.e_x(0, 0) = law.by_s;
    out.e_xdot(0, 0) = law.by_rate;
    out.e_t(0) = 0;
    out.e_p = law.by_p.transpose();
  }
  template <typename T>
  static T energy(const ForceInput<F, T>& in) requires LawWithEnergy<Law, T, ForceInput<F, T>::np> {
    return Law::template energy<T>(in.x(0), in.p);
  }
  static auto switch_values(const ForceInput<F, double>& in) requires LawWithSwitches<Law> {
    return Law::switch_values(in.x(0), in.p);
  }
};

template <typename F, typename Law>
struct LengthLaw : CoordinateLaw<F, Law> {
  static constexpr CoordinateKind coordinate_kind = CoordinateKind::kLength;
};
template <typename F, typename Law>
struct AngleLaw : CoordinateLaw<F, Law> {
  static constexpr CoordinateKind coordinate_kind = CoordinateKind::kAngle;
};

/// A law along the axis z of the first frame.
template <typename F, typename Law>
struct AxisLaw : LawSwitches<Law> {
  static constexpr std::array<ForceSignal, 1> signals{{{"force", "N"}}};
  static constexpr PortKind port = PortKind::kFramePair;

  template <typename T>
  static Vec<T, 6> effort(const ForceInput<F, T>& in) {
    Vec<T, 6> e = Vec<T, 6>::Constant(T(0));
    e(5) = Law::template force<T>(in.x(2), in.xdot(5), in.p);
    return e;
  }
  template <typename T>
  static Vec<T, 1> signal_values(const ForceInput<F, T>& in) {
    return Vec<T, 1>(Law::template force<T>(in.x(2), in.xdot(5), in.p));
  }
  static void partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
    const auto law = Law::slopes(in.x(2), in.xdot(5), in.p);
    out.e_x.setZero();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.setZero();
    out.e_x(5, 2) = law.by_s;
    out.e_xdot(5, 5) = law.by_rate;
    out.e_p.row(5) = law.by_p.transpose();
  }
  template <typename T>
  static T energy(const ForceInput<F, T>& in) requires LawWithEnergy<Law, T, ForceInput<F, T>::np> {
    return Law::template energy<T>(in.x(2), in.p);
  }
  static auto switch_values(const ForceInput<F, double>& in) requires LawWithSwitches<Law> {
    return Law::switch_values(in.x(2), in.p);
  }
};

}  // namespace kinegrad
