// Two spheres (docs/theory/contact.md, [CT-5]): radius r₁ around the origin of marker 1, r₂ around that of marker 2. With l = |d|
//
//   δ = r₁ + r₂ − l,   n = d/l,   R = r₁r₂/(r₁ + r₂)                                              [CT-6]
//
// l² = d·d + ε², ε = 10⁻⁶(r₁ + r₂), so that centres which coincide have no force but a number. Bristles keep their directions t₁, t₂ in
// marker 1; where n = −e_z these are not defined.
#pragma once

#include "kinegrad/forces/contact/contact.hpp"
#include "kinegrad/forces/contact/round_touch.hpp"

namespace kinegrad {

namespace contact {

struct SphereOnSphereGeometry {
  static constexpr std::array<AttributeInfo, 2> own{
      {{"radius1", "m", 1, true, "of the sphere around the first frame's origin"},
       {"radius2", "m", 1, true, "of the sphere around the second frame's origin"}}};
  static constexpr bool has_ground = false;
  static constexpr std::array<int, 3> reads{0, 1, 2};

  static double contact_radius(const Eigen::Ref<const VecX>& p) {
    return p(0) * p(1) / (p(0) + p(1));
  }
  static std::string refuses(const Eigen::Ref<const VecX>& p,
                             const std::function<bool(std::string_view)>&) {
    return p(0) > 0 && p(1) > 0 ? "" : "radius1 and radius2 must be positive";
  }

  static constexpr double kTurnsOver = -0.999;  ///< n_z below which t₁, t₂ are others

  template <typename T>
  struct Touch : RoundTouch<T> {
    T turns_over;  ///< changes its sign there

    Touch(const auto& x, const auto& xdot, const auto& p) {
      using std::sqrt;
      const T both = p(0) + p(1), least = both * 1e-6;
      const T l = sqrt(x(0) * x(0) + x(1) * x(1) + x(2) * x(2) + least * least);
      this->radius = p(0) * p(1) / both;
      this->depth = both - l;
      // below n = −e_z the directions turn around: the sphere seen from its other pole
      const T nz = x(2) / l;
      turns_over = nz - kTurnsOver;
      this->axes = real_part(nz) > kTurnsOver ? Axes<T>::around(x(0) / l, x(1) / l, nz)
                                              : flipped(x(0) / l, x(1) / l, nz);
      this->finish(p(1), 0.5, xdot);
    }

   private:
    static Axes<T> flipped(const T& nx, const T& ny, const T& nz) {
      Axes<T> out = Axes<T>::around(nx, -ny, -nz);
      for (auto* e : {&out.t1, &out.t2, &out.n}) {
        (*e)[1] = -(*e)[1];
        (*e)[2] = -(*e)[2];
      }
      return out;
    }
  };
};

}  // namespace contact

struct SphereOnSphere : Contact<SphereOnSphere, contact::SphereOnSphereGeometry> {
  static constexpr std::string_view name = "sphere-on-sphere";
  static constexpr std::string_view summary = "contact of two spheres, with friction";
};

}  // namespace kinegrad
