// The plane that a ground z = g(x, y) of a frame is replaced by at its foot f = (x_f, y_f, g) (docs/theory/contact.md, [GR]):
//
//   n = (−g_x, −g_y, 1)/√(1 + g_x² + g_y²),   t₁, t₂ = e_x, e_y turned as e_z is turned to n,   height = n·(d − f)     [GR-2]
//
// p holds whether there is such a ground (0 or 1), x_f, y_f, g, g_x, g_y. Without one it is the plane z = 0 of the frame, and nothing
// is computed.
#pragma once

#include <cmath>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad::contact {

/// Numbers of a ground in p.
inline constexpr int kGround = 6;

/// Three unit vectors, n the last one: components of a vector along them, and back.
template <typename T>
struct Axes {
  bool turned = false;
  T t1[3] = {}, t2[3] = {}, n[3] = {};

  /// t₁ and t₂ belong to n without a jump but at n = −e_z.
  static Axes around(const T& nx, const T& ny, const T& nz) {
    const T k = 1.0 / (nz + 1.0);
    Axes out;
    out.turned = true;
    const T mixed = -(nx * ny * k);
    out.t1[0] = 1.0 - nx * nx * k;
    out.t1[1] = mixed;
    out.t1[2] = -nx;
    out.t2[0] = mixed;
    out.t2[1] = 1.0 - ny * ny * k;
    out.t2[2] = -ny;
    out.n[0] = nx;
    out.n[1] = ny;
    out.n[2] = nz;
    return out;
  }
  void into(const T (&x)[3], T (&out)[3]) const {
    const auto along = [&](const T(&e)[3]) { return e[0] * x[0] + e[1] * x[1] + e[2] * x[2]; };
    if (!turned) {
      for (int i = 0; i < 3; ++i) out[i] = x[i];
      return;
    }
    out[0] = along(t1);
    out[1] = along(t2);
    out[2] = along(n);
  }
  void back(const T (&x)[3], T (&out)[3]) const {
    for (int i = 0; i < 3; ++i) {
      out[i] = turned ? t1[i] * x[0] + t2[i] * x[1] + n[i] * x[2] : x[i];
    }
  }
  /// Turns both halves of a wrench.
  Vec<T, 6> back(const Vec<T, 6>& e) const {
    if (!turned) return e;
    Vec<T, 6> out;
    for (int half = 0; half < 6; half += 3) {
      for (int i = 0; i < 3; ++i) {
        out(half + i) = t1[i] * e(half) + t2[i] * e(half + 1) + n[i] * e(half + 2);
      }
    }
    return out;
  }
};

/// The axes at the foot and the height of d over the plane, from p[first …].
template <typename T, typename X, typename P>
Axes<T> tangent_plane(const X& x, const P& p, int first, T& height) {
  using std::sqrt;
  Axes<T> axes;
  height = x(2);
  if (real_part(p(first)) == 0) return axes;
  const T gx = p(first + 4), gy = p(first + 5);
  const T nz = 1.0 / sqrt(gx * gx + gy * gy + 1.0);
  axes = Axes<T>::around(-(gx * nz), -(gy * nz), nz);
  height = axes.n[0] * (x(0) - p(first + 1)) + axes.n[1] * (x(1) - p(first + 2)) +
           axes.n[2] * (x(2) - p(first + 3));
  return axes;
}

}  // namespace kinegrad::contact
