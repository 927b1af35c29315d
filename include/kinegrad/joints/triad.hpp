// Triad: the carrier of a body in natural coordinates, q = (r, u, v, w) with r = p_FM and u, v, w what
// the axes of M are in F (docs/theory/global_coordinates.md, [TR]). Nobody names it in a file.
//
// Rigid-body constraints keep u, v, w orthonormal. Off them the axes are those that Gram and Schmidt
// make of u and v, so that every function holds literally for any q:
//
//   x = u/|u|,   y = s/|s| with s = v − (x·v)x,   z = x×y,      R_FM = [x y z]                 [TR-1]
//
// With P = |u| = x·u, m = x·v and S = |s| = y·v, the axes turn by
//
//   ω = Ω_u u̇ + Ω_v v̇,    Ω_u = x̃/P − (m/PS) x zᵀ,    Ω_v = (1/S) x zᵀ                       [TR-2]
//
// whose rates follow from ẋ = ω×x and its like, because P, m and S are products with the axes.
#pragma once

#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

struct Triad {
  static constexpr std::string_view name = "triad";
  static constexpr std::string_view summary = "place and axes of a body";
  static constexpr int nq = 12;
  static constexpr int nc = 6;
  static constexpr JointAxes axes = JointAxes::kNone;
  static constexpr bool carries_natural = true;
  static constexpr std::array<CoordinateInfo, nq> coordinates{{{"x", CoordinateKind::kLength},
                                                               {"y", CoordinateKind::kLength},
                                                               {"z", CoordinateKind::kLength},
                                                               {"ux", CoordinateKind::kDirection},
                                                               {"uy", CoordinateKind::kDirection},
                                                               {"uz", CoordinateKind::kDirection},
                                                               {"vx", CoordinateKind::kDirection},
                                                               {"vy", CoordinateKind::kDirection},
                                                               {"vz", CoordinateKind::kDirection},
                                                               {"wx", CoordinateKind::kDirection},
                                                               {"wy", CoordinateKind::kDirection},
                                                               {"wz", CoordinateKind::kDirection}}};
  static constexpr std::array<ClosurePiece, 0> closure{};

  template <typename T>
  using Q = Vec<T, nq>;
  template <typename T>
  using Columns = Mat<T, 6, nq>;

  /// [TR-1].
  template <typename T>
  static Pose<T> pose(const Q<T>& q) {
    const Place<T> at(q);
    Mat3T<T> R;
    R << at.x, at.y, at.z;
    return {R, part<0>(q)};
  }
  /// H = [0, Ω; I, r̃Ω].
  template <typename T>
  static Columns<T> motion(const Q<T>& q) {
    Columns<T> H = columns(turn(Place<T>(q)), part<0>(q));
    for (int k = 0; k < 3; ++k) H(3 + k, k) = T(1);
    return H;
  }
  /// Ḣ = [0, Ω̇; 0, ṙ~Ω + r̃Ω̇].
  template <typename T>
  static Columns<T> motion_dot(const Q<T>& q, const Q<T>& v) {
    const Place<T> at(q);
    const Rates<T> rate(at, q, v);
    const Turn<T> O = turn(at);
    const Turn<T> Odot = turn_dot(at, rate);
    return columns(Odot, part<0>(q)) + lower(O, part<0>(v));
  }
  /// Ḧ = [0, Ω̈; 0, r̈~Ω + 2ṙ~Ω̇ + r̃Ω̈].
  template <typename T>
  static Columns<T> motion_ddot(const Q<T>& q, const Q<T>& v, const Q<T>& a) {
    const Place<T> at(q);
    const Rates<T> rate(at, q, v);
    const Turn<T> O = turn(at), Odot = turn_dot(at, rate);
    const Seconds<T> second(at, rate, q, v, a, O, Odot);
    const Turn<T> Oddot = turn_ddot(at, rate, second);
    return columns(Oddot, part<0>(q)) + lower(Odot, part<0>(v)) * T(2) + lower(O, part<0>(a));
  }
  /// r = p_FM, axes as they are.
  template <typename T>
  static Q<T> coordinates_of(const Pose<T>& X_FM) {
    Q<T> q;
    q << X_FM.p, X_FM.R.col(0), X_FM.R.col(1), X_FM.R.col(2);
    return q;
  }
  /// ṙ = v_Fo + ω×r, u̇ = ω×u, …
  template <typename T>
  static Q<T> speeds_of(const Q<T>& q, const Twist<T>& V_FM) {
    const Vec3T<T> w = V_FM.template head<3>();
    Q<T> v;
    v << V_FM.template tail<3>() + la::cross(w, part<0>(q)), la::cross(w, part<3>(q)),
        la::cross(w, part<6>(q)), la::cross(w, part<9>(q));
    return v;
  }

 private:
  template <typename T>
  using Turn = Mat<T, 3, 6>;

  template <int First, typename T>
  static Vec3T<T> part(const Q<T>& q) {
    return q.template segment<3>(First);
  }

  template <typename T>
  struct Place {  // axes, and a = 1/P, b = 1/S, m
    Vec3T<T> x, y, z;
    T a, b, m;
    explicit Place(const Q<T>& q) {
      using std::sqrt;
      const Vec3T<T> u = part<3>(q), v = part<6>(q);
      a = T(1) / sqrt(la::squared_norm(u));
      x = u * a;
      m = la::dot(x, v);
      const Vec3T<T> s = v - x * m;
      b = T(1) / sqrt(la::squared_norm(s));
      y = s * b;
      z = la::cross(x, y);
    }
  };

  template <typename T>
  struct Rates {  // of the same
    Vec3T<T> w, x, y, z;
    T P, S, a, b, m;
    Rates(const Place<T>& at, const Q<T>& q, const Q<T>& v) {
      Vec<T, 6> uv;
      uv << part<3>(v), part<6>(v);
      w = turn(at) * uv;
      x = la::cross(w, at.x);
      y = la::cross(w, at.y);
      z = la::cross(w, at.z);
      const auto rate = [](const Vec3T<T>& e, const Vec3T<T>& edot, const Vec3T<T>& c,
                           const Vec3T<T>& cdot) { return T(la::dot(edot, c) + la::dot(e, cdot)); };
      P = rate(at.x, x, part<3>(q), part<3>(v));
      S = rate(at.y, y, part<6>(q), part<6>(v));
      m = rate(at.x, x, part<6>(q), part<6>(v));
      a = -P * at.a * at.a;
      b = -S * at.b * at.b;
    }
  };

  template <typename T>
  struct Seconds {
    Vec3T<T> x, z;
    T a, b, m;
    Seconds(const Place<T>& at, const Rates<T>& rate, const Q<T>& q, const Q<T>& v, const Q<T>& acc,
            const Turn<T>& O, const Turn<T>& Odot) {
      Vec<T, 6> uv, uv_dot;
      uv << part<3>(v), part<6>(v);
      uv_dot << part<3>(acc), part<6>(acc);
      const Vec3T<T> wdot = O * uv_dot + Odot * uv;
      const auto turned = [&](const Vec3T<T>& e, const Vec3T<T>& edot) {
        return Vec3T<T>(la::cross(wdot, e) + la::cross(rate.w, edot));
      };
      x = turned(at.x, rate.x);
      z = turned(at.z, rate.z);
      const Vec3T<T> y = turned(at.y, rate.y);
      const auto second = [](const Vec3T<T>& e, const Vec3T<T>& edot, const Vec3T<T>& eddot,
                             const Vec3T<T>& c, const Vec3T<T>& cdot, const Vec3T<T>& cddot) {
        return T(la::dot(eddot, c) + T(2) * la::dot(edot, cdot) + la::dot(e, cddot));
      };
      const T P = second(at.x, rate.x, x, part<3>(q), part<3>(v), part<3>(acc));
      const T S = second(at.y, rate.y, y, part<6>(q), part<6>(v), part<6>(acc));
      m = second(at.x, rate.x, x, part<6>(q), part<6>(v), part<6>(acc));
      a = (T(2) * rate.P * rate.P * at.a - P) * at.a * at.a;
      b = (T(2) * rate.S * rate.S * at.b - S) * at.b * at.b;
    }
  };

  /// Ω_u and Ω_v side by side [TR-2].
  template <typename T>
  static Turn<T> turn(const Place<T>& at) {
    const Mat3T<T> xz = at.x * at.z.transpose();
    Turn<T> O;
    O << la::skew(at.x) * at.a - xz * (at.m * at.a * at.b), xz * at.b;
    return O;
  }
  template <typename T>
  static Turn<T> turn_dot(const Place<T>& at, const Rates<T>& rate) {
    const Mat3T<T> xz = at.x * at.z.transpose();
    const Mat3T<T> xzdot = rate.x * at.z.transpose() + at.x * rate.z.transpose();
    const T c = at.m * at.a * at.b;
    const T cdot = rate.m * at.a * at.b + at.m * (rate.a * at.b + at.a * rate.b);
    Turn<T> O;
    O << la::skew(rate.x) * at.a + la::skew(at.x) * rate.a - xzdot * c - xz * cdot,
        xzdot * at.b + xz * rate.b;
    return O;
  }
  template <typename T>
  static Turn<T> turn_ddot(const Place<T>& at, const Rates<T>& rate, const Seconds<T>& second) {
    const Mat3T<T> xz = at.x * at.z.transpose();
    const Mat3T<T> xzdot = rate.x * at.z.transpose() + at.x * rate.z.transpose();
    const Mat3T<T> xzddot = second.x * at.z.transpose() + rate.x * rate.z.transpose() * T(2) +
                            at.x * second.z.transpose();
    const T ab = at.a * at.b, abdot = rate.a * at.b + at.a * rate.b;
    const T abddot = second.a * at.b + T(2) * rate.a * rate.b + at.a * second.b;
    const T c = at.m * ab, cdot = rate.m * ab + at.m * abdot;
    const T cddot = second.m * ab + T(2) * rate.m * abdot + at.m * abddot;
    Turn<T> O;
    O << la::skew(second.x) * at.a + la::skew(rate.x) * (T(2) * rate.a) +
             la::skew(at.x) * second.a - xzddot * c - xzdot * (T(2) * cdot) - xz * cddot,
        xzddot * at.b + xzdot * (T(2) * rate.b) + xz * second.b;
    return O;
  }

  /// [0, W; 0, r̃W] in the columns of u and v.
  template <typename T>
  static Columns<T> columns(const Turn<T>& W, const Vec3T<T>& r) {
    Columns<T> H = lower(W, r);
    H.template block<3, 6>(0, 3) = W;
    return H;
  }
  /// [0, 0; 0, r̃W].
  template <typename T>
  static Columns<T> lower(const Turn<T>& W, const Vec3T<T>& r) {
    Columns<T> H = Columns<T>::Constant(T(0));
    H.template block<3, 6>(3, 3) = la::skew(r) * W;
    return H;
  }
};

}  // namespace kinegrad
