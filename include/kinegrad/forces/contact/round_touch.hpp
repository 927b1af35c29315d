// The contact of a sphere of radius r with something round (docs/theory/contact.md, [CT-5]): a normal n from the other surface to the centre, a
// penetration δ, and the contact at c = −(r − k δ) n from the centre, k = 1 on what is hard, ½ where both are spheres,
//
//   δ̇ = −n·ḋ,   v = ḋ + ω×c along t₁, t₂,   wrench [c×f; f]                                          [CT-5]
#pragma once

#include "kinegrad/forces/contact/tangent_plane.hpp"

namespace kinegrad::contact {

template <typename T>
struct RoundTouch {
  Axes<T> axes;
  T arm, depth, closing, slide[2], radius;

 protected:
  /// Of a sphere of radius r; `part`: k.
  void finish(const T& r, double part, const auto& xdot) {
    const T turn[3] = {xdot(0), xdot(1), xdot(2)}, rate[3] = {xdot(3), xdot(4), xdot(5)};
    T w[3], v[3];
    axes.into(turn, w);
    axes.into(rate, v);
    arm = r - depth * part;
    closing = -v[2];
    slide[0] = v[0] - w[1] * arm;
    slide[1] = v[1] + w[0] * arm;
  }

 public:
  Vec<T, 6> wrench(const T& F, const T& f1, const T& f2) const {
    Vec<T, 6> e;
    e(0) = arm * f2;
    e(1) = -(arm * f1);
    e(2) = T(0.0);
    e(3) = f1;
    e(4) = f2;
    e(5) = F;
    return axes.back(e);
  }
};

}  // namespace kinegrad::contact
