// B of [DP-2], what a body's force gains from a rate of its motion, in closed form
// (docs/theory/dynamics.md):
//
//   B x = [K x_w − n×x_w; −2P×x_w],   [n; P] = I V,   K = ω̃J − Jω̃ − ṽh̃ − h̃ṽ                   [DP-8]
//
// K is symmetric and velocities x_v do not matter: twelve numbers, which add up over bodies.
#pragma once

#include "kinegrad/tree/halves.hpp"
#include "kinegrad/tree/rigid_inertia.hpp"

namespace kinegrad {

struct Gyroscopic {
  Symmetric3<double> K{0, 0, 0, 0, 0, 0};
  Triple<double> n = Triple<double>::zero(), P = n;

  Gyroscopic() = default;
  /// Of one body with the motion V.
  Gyroscopic(const RigidInertia<double>& I, const Halves<double>& V) {
    const Triple<double> h(I.h);
    const Columns3<double> J(I.J);
    const Columns3<double> C(cross(V.w, J.a), cross(V.w, J.b), cross(V.w, J.c));  // ω̃J
    const double twice = 2 * dot(V.v, h);  // ṽh̃ + h̃ṽ = v hᵀ + h vᵀ − 2 v·h
    K = {2 * (C.a.x - V.v.x * h.x) + twice,         C.b.x + C.a.y - V.v.x * h.y - V.v.y * h.x,
         C.c.x + C.a.z - V.v.x * h.z - V.v.z * h.x, 2 * (C.b.y - V.v.y * h.y) + twice,
         C.c.y + C.b.z - V.v.y * h.z - V.v.z * h.y, 2 * (C.c.z - V.v.z * h.z) + twice};
    n = J * V.w + cross(h, V.v);
    P = V.v * I.m - cross(h, V.w);
  }

  Gyroscopic& operator+=(const Gyroscopic& other) {
    K += other.K;
    n += other.n;
    P += other.P;
    return *this;
  }
  Halves<double> operator*(const Halves<double>& x) const {
    return {K * x.w + cross(x.w, n), cross(x.w, P) * 2.0};
  }
  /// The upper half of BᵀW; the lower one is zero.
  Triple<double> transposed_times(const Halves<double>& W) const {
    return K * W.w + cross(n, W.w) + cross(P, W.v) * 2.0;
  }
  Mat<double, 6, 6> matrix() const {
    Mat<double, 6, 6> B = Mat<double, 6, 6>::Zero();
    B.topLeftCorner<3, 3>() << K.xx, K.xy, K.xz, K.xy, K.yy, K.yz, K.xz, K.yz, K.zz;
    B.topLeftCorner<3, 3>() -= la::skew(n.vector());
    B.bottomLeftCorner<3, 3>() = -2.0 * la::skew(P.vector());
    return B;
  }
};

}  // namespace kinegrad
