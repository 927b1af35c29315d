// An elastic connection of two frames (docs/theory/forces.md, [BU]). With d the distance of marker 2 and φ its
// rotation vector, both in the axes of marker 1, u = [d; φ] and u̇ = [ḋ; Bω]:
//
//   g = K u + C u̇        f = f₀ − g_d        n = n₀ − Bᵀg_φ        V = ½ uᵀK u                     [BU-3]
//
// K and C are 6×6, translations first. Because φ̇ = Bω exactly, the power of the elastic part is −V̇ for any
// turn below half a turn, and that of the damper −u̇ᵀC u̇.
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/math/rotation_vector.hpp"

namespace kinegrad {

struct Bushing {
  static constexpr std::string_view name = "bushing";
  static constexpr std::string_view summary = "elastic and damped connection of two frames";
  static constexpr PortKind port = PortKind::kFramePair;
  static constexpr bool below_half_turn = true;
  static constexpr std::array<AttributeInfo, 4> attributes{
      {{"stiffness", "N/m, N, N m/rad", 36, true,
        "six numbers, or a matrix 6 by 6: along x, y, z, about x, y, z of the first frame"},
       {"damping", "N s/m, N s, N m s/rad", 36, false, "the same per unit of velocity", false,
        false, false},
       {"force", "N", 3, false, "constant part on the second body; may depend on time and signals",
        true, false, false},
       {"torque", "N m", 3, false,
        "constant part on the second body; may depend on time and signals", true, false, false}}};

  template <typename T>
  static Vec<T, 6> effort(const ForceInput<Bushing, T>& in) {
    const Strain<T> s(in);
    const Vec<T, 6> g = matrix(in, 0) * s.u + matrix(in, 36) * s.udot;
    Vec<T, 6> e;
    e.template head<3>() = in.p.template segment<3>(75) - s.B.transpose() * g.template tail<3>();
    e.template tail<3>() = in.p.template segment<3>(72) - g.template head<3>();
    return e;
  }

  /// Along x by dual numbers, which know how B turns; all else is linear:
  /// e = e₀ − Dᵀ(K u + C D ẋ), u̇ = D ẋ with D = [0 1; B 0].
  static void partials(const ForceInput<Bushing, double>& in, ForceStructPartials<Bushing>& out) {
    const Strain<double> s(in);
    Mat<double, 6, 6> D = Mat<double, 6, 6>::Zero();
    D.topRightCorner<3, 3>().setIdentity();
    D.bottomLeftCorner<3, 3>() = s.B;
    out.e_xdot = -D.transpose() * matrix(in, 36) * D;
    out.e_t.setZero();
    for (int i = 0; i < 6; ++i) {
      const Vec<double, 6> row = -D.row(i).transpose();
      for (int j = 0; j < 6; ++j) {
        out.e_p.col(6 * i + j) = row * s.u(j);
        out.e_p.col(36 + 6 * i + j) = row * s.udot(j);
      }
    }
    out.e_p.rightCols<6>().setZero();
    out.e_p.block<3, 3>(3, 72).setIdentity();
    out.e_p.block<3, 3>(0, 75).setIdentity();
    ForceInput<Bushing, Dual> seeded{in.x.cast<Dual>(), in.xdot.cast<Dual>(), Dual(in.t),
                                     in.p.cast<Dual>()};
    for (int k = 0; k < 12; ++k) {
      seeded.x(k).derivative = 1;
      const Vec<Dual, 6> e = effort<Dual>(seeded);
      for (int i = 0; i < 6; ++i) out.e_x(i, k) = e(i).derivative;
      seeded.x(k).derivative = 0;
    }
  }

  template <typename T>
  static T energy(const ForceInput<Bushing, T>& in) {
    const Strain<T> s(in);
    return la::dot(s.u, (matrix(in, 0) * s.u).eval()) * T(0.5);
  }

 private:
  /// u, u̇ and B.
  template <typename T>
  struct Strain {
    Vec<T, 6> u, udot;
    Mat3T<T> B;

    explicit Strain(const ForceInput<Bushing, T>& in) {
      Mat3T<T> R;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) R(i, j) = in.x(3 + 3 * i + j);
      }
      const Vec3T<T> phi = rotation_vector(R);
      B = rotation_vector_rate(phi);
      u << in.x.template head<3>(), phi;
      udot << in.xdot.template tail<3>(), B * in.xdot.template head<3>();
    }
  };
  template <typename T>
  static Mat<T, 6, 6> matrix(const ForceInput<Bushing, T>& in, int first) {
    Mat<T, 6, 6> out;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) out(i, j) = in.p(first + 6 * i + j);
    }
    return out;
  }
};

}  // namespace kinegrad
