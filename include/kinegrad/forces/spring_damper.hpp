// Spring and damper between two points (docs/theory/forces.md, [SD]). With d = r₂ − r₁, l = |d|,
// u = d/l, l̇ = uᵀḋ and the tension f = k (l − l₀) + c l̇:
//
//   e = −f u                          force on point 2, its opposite on point 1
//   e_d = −k uuᵀ − (c/l) u (ḋ − l̇u)ᵀ − (f/l)(I − uuᵀ)          e_ḋ = −c uuᵀ
//   e_k = −(l − l₀) u      e_c = −l̇ u      e_l₀ = k u            V = ½ k (l − l₀)²
//
// At l = 0 the direction u, and with it the force, does not exist: the law is not regularised, the
// effort and its partials are NaN there and the run reports it. As l → 0 with l₀ ≠ 0 the force keeps
// its size and e_d grows like |f|/l.
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

struct SpringDamper {
  static constexpr std::string_view name = "spring-damper";
  static constexpr std::string_view summary = "linear spring and damper between two points";
  static constexpr PortKind port = PortKind::kPointPair;
  static constexpr std::array<AttributeInfo, 3> attributes{
      {{"stiffness", "N/m", 1, true, "force per unit of elongation", true},
       {"damping", "N s/m", 1, false, "force per unit rate of elongation", true, false, false},
       {"length", "m", 1, true, "natural length", true}}};

  /// e = −f u.
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<SpringDamper, T>& in) {
    const Elongation<T> s(in);
    return s.u * (-s.tension(in));
  }
  static void partials(const ForceInput<SpringDamper, double>& in,
                       ForceStructPartials<SpringDamper>& out) {
    const double k = in.p(0), c = in.p(1), l0 = in.p(2);
    const Elongation<double> s(in);
    const double f = s.tension(in);
    const Mat3 uuT = s.u * s.u.transpose();
    const Vec3 across = in.xdot - s.ldot * s.u;
    out.e_x =
        -k * uuT - (c / s.l) * s.u * across.transpose() - (f / s.l) * (Mat3::Identity() - uuT);
    out.e_xdot = -c * uuT;
    out.e_t.setZero();
    out.e_p.col(0) = -(s.l - l0) * s.u;
    out.e_p.col(1) = -s.ldot * s.u;
    out.e_p.col(2) = k * s.u;
  }
  /// V = ½ k (l − l₀)².
  template <typename T>
  static T energy(const ForceInput<SpringDamper, T>& in) {
    const T stretch = la::norm(in.x) - in.p(2);
    return T(0.5) * in.p(0) * stretch * stretch;
  }

 private:
  /// l, u, l̇ and f of the formulas above.
  template <typename T>
  struct Elongation {
    T l;
    Vec3T<T> u;
    T ldot;

    explicit Elongation(const ForceInput<SpringDamper, T>& in)
        : l(la::norm(in.x)), u(in.x * (T(1) / l)), ldot(la::dot(u, in.xdot)) {}
    T tension(const ForceInput<SpringDamper, T>& in) const {
      return in.p(0) * (l - in.p(2)) + in.p(1) * ldot;
    }
  };
};

}  // namespace kinegrad
