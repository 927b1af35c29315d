// The equations of motion along the columns of a matrix R with Φ_q R = 0, whatever the independent
// coordinates y are that the columns belong to:
//
//   RᵀM R x = −Rᵀ(M a_0 + r_0),   a = a_0 + R x         accelerations                          [MR-2]
//   RᵀN R x = −Rᵀr                                      Newton's correction of ÿ, N as [N-3]
//
// Rᵀ takes the multipliers away.
#pragma once

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/math/small_lu.hpp"

namespace kinegrad {

template <Scalar T>
class ReducedEquations {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  /// The system must outlive the object.
  explicit ReducedEquations(MechanicalSystem<T>& system);

  void begin_step() { corrections_ = 0; }

  /// [MR-2] at a state of the system with a = 0: `a` holds a_0, then a_0 + R x; r then is that of `a`.
  /// False if RᵀMR is singular.
  bool accelerate(const Matrix& R, int freedom, VecXT<T>& a, VecXT<T>& r);

  /// r at accelerations that are `lift` more than those of the system: r is linear in them.
  void lift_residual(const VecXT<T>& lift, VecXT<T>& r);

  /// Newton's correction x for the residual r. The matrix of the first correction serves as long as
  /// corrections shrink fast. False if it is not finite.
  bool correct(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
               const VecXT<T>& r, const Matrix& R, int freedom, const NewtonCoefficients& c,
               VecXT<T>& x);
  /// Says how large the correction was; false if it is not finite. Trials leave no memory behind.
  bool took(double squared_size, const NewtonCoefficients& c);

 private:
  bool prepare_newton(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                      const Matrix& R, int freedom, const NewtonCoefficients& c);

  MechanicalSystem<T>& system_;
  int n_;
  int corrections_ = 0;  // of this step
  double last_size_ = 0, last_ratio_ = 0;
  SmallLu<T> mass_lu_;      // of RᵀMR
  SmallLu<double> newton_;  // of RᵀNR
  Matrix MR_;
  MatX NR_, exact_;
  SparseUpper<T> M_;
  SparseUpper<double> N_;
  VecXT<T> x_;
  VecX part_, real_;
};

}  // namespace kinegrad
