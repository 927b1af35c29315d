// The inertia of a body whose joints beyond are free, at a reference point o in world axes: a
// symmetric 6×6 matrix that is no longer made of ten numbers but of twenty-one ([D-8], [D-10]).
//
//   I_A = [A, B; Bᵀ, C],    A and C symmetric
#pragma once

#include "kinegrad/tree/halves.hpp"
#include "kinegrad/tree/rigid_inertia.hpp"

namespace kinegrad {

template <typename T>
struct ArticulatedInertia {
  Symmetric3<T> A, C;
  Columns3<T> B;

  ArticulatedInertia() = default;

  /// [J, h̃; −h̃, m 1] [D-3].
  [[gnu::always_inline]] explicit ArticulatedInertia(const RigidInertia<T>& I)
      : A{I.J(0, 0), I.J(0, 1), I.J(0, 2), I.J(1, 1), I.J(1, 2), I.J(2, 2)},
        C{I.m, T(0), T(0), I.m, T(0), I.m},
        B({T(0), I.h(2), -I.h(1)}, {-I.h(2), T(0), I.h(0)}, {I.h(1), -I.h(0), T(0)}) {}

  explicit ArticulatedInertia(const Mat<T, 6, 6>& I)
      : A{I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)},
        C{I(3, 3), I(3, 4), I(3, 5), I(4, 4), I(4, 5), I(5, 5)},
        B(Mat3T<T>(I.template topRightCorner<3, 3>())) {}

  static ArticulatedInertia zero() {
    return ArticulatedInertia(Mat<T, 6, 6>::Constant(T(0)).eval());
  }

  Mat<T, 6, 6> matrix() const {
    Mat<T, 6, 6> I;
    I.template topLeftCorner<3, 3>() << A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz;
    I.template bottomRightCorner<3, 3>() << C.xx, C.xy, C.xz, C.xy, C.yy, C.yz, C.xz, C.yz, C.zz;
    I.template topRightCorner<3, 3>() = B.matrix();
    I.template bottomLeftCorner<3, 3>() = B.matrix().transpose();
    return I;
  }

  [[gnu::always_inline]] ArticulatedInertia& operator+=(const ArticulatedInertia& other) {
    A += other.A;
    B += other.B;
    C += other.C;
    return *this;
  }

  [[gnu::always_inline]] Halves<T> operator*(const Halves<T>& X) const {
    return {A * X.w + B * X.v, B.transposed_times(X.w) + C * X.v};
  }

  /// I − U Uᵀ/D.
  [[gnu::always_inline]] void eliminate(const Halves<T>& U, const T& D_inverse) {
    const Triple<T> n = U.w * D_inverse, f = U.v * D_inverse;
    A.subtract_outer(U.w, n);
    C.subtract_outer(U.v, f);
    B += {U.w * -f.x, U.w * -f.y, U.w * -f.z};
  }

  /// An inertia at a point d further on, taken back: B′ = B + d̃C, A′ = A + d̃Bᵀ − B′d̃ [D-10].
  [[gnu::always_inline]] void shift_back(const Triple<T>& d) {
    add_upper(cross(d, row_x()), cross(d, row_y()), cross(d, row_z()));
    B.a += cross(d, {C.xx, C.xy, C.xz});
    B.b += cross(d, {C.xy, C.yy, C.yz});
    B.c += cross(d, {C.xz, C.yz, C.zz});
    const Triple<T> x = cross(d, row_x()), y = cross(d, row_y()), z = cross(d, row_z());
    A.xx += x.x, A.xy += x.y, A.xz += x.z, A.yy += y.y, A.yz += y.z, A.zz += z.z;
  }

 private:
  Triple<T> row_x() const { return {B.a.x, B.b.x, B.c.x}; }
  Triple<T> row_y() const { return {B.a.y, B.b.y, B.c.y}; }
  Triple<T> row_z() const { return {B.a.z, B.b.z, B.c.z}; }
  /// A += the upper triangle of the matrix with these columns.
  [[gnu::always_inline]] void add_upper(const Triple<T>& a, const Triple<T>& b,
                                        const Triple<T>& c) {
    A.xx += a.x, A.xy += b.x, A.xz += c.x, A.yy += b.y, A.yz += c.y, A.zz += c.z;
  }
};

}  // namespace kinegrad
