// Central gravity: the field of a point mass (docs/theory/forces.md, [CG]). With d = x − x₀, l = |d|, u = d/l:
//
//   e = −μ u/l²        e_x = −(μ/l³)(I − 3uuᵀ)       e_μ = −u/l²       e_x₀ = −e_x       V/m = −μ/l
//
// The attraction is taken at the centre of mass of each body: that of a body which is small beside l. The
// field does not exist at l = 0; effort and partials are NaN there and the run reports it.
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

struct CentralGravity {
  static constexpr std::string_view name = "central-gravity";
  static constexpr std::string_view summary = "attraction of every body towards a point";
  static constexpr PortKind port = PortKind::kField;
  static constexpr std::array<AttributeInfo, 2> attributes{
      {{"mu", "m^3/s^2", 1, true, "gravitational parameter: constant of gravitation times mass"},
       {"center", "m", 3, false, "the attracting point, in world axes"}}};

  template <typename T>
  static Vec<T, 3> effort(const ForceInput<CentralGravity, T>& in) {
    const Vec3T<T> d = distance(in);
    const T l = la::norm(d);
    return d * (-in.p(0) / (l * l * l));
  }
  static void partials(const ForceInput<CentralGravity, double>& in,
                       ForceStructPartials<CentralGravity>& out) {
    const Vec3 d = distance(in);
    const double l = la::norm(d);
    const Vec3 u = d / l;
    out.e_x = -(in.p(0) / (l * l * l)) * (Mat3::Identity() - 3 * u * u.transpose());
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p.col(0) = -u / (l * l);
    out.e_p.rightCols<3>() = -out.e_x;
  }
  /// Per unit mass, zero at infinity.
  template <typename T>
  static T energy(const ForceInput<CentralGravity, T>& in) {
    return -in.p(0) / la::norm(distance(in));
  }

 private:
  template <typename T>
  static Vec3T<T> distance(const ForceInput<CentralGravity, T>& in) {
    return in.x - in.p.template tail<3>();
  }
};

}  // namespace kinegrad
