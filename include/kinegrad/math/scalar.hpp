// The number types of the primal path. double runs, Complex is the complex step
// (f'(x) = Im f(x + i h) / h, no cancellation), Dual the per-element oracle.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <concepts>

#include "kinegrad/math/dual.hpp"

namespace kinegrad {

using Complex = std::complex<double>;

/// A number type with + − × ÷ and the elementary functions, found by argument-dependent lookup.
template <typename T>
concept Scalar = requires(T a, T b, double x) {
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a* b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  { T(x) } -> std::same_as<T>;
};

inline double real_part(double a) { return a; }
inline double real_part(const Complex& a) { return a.real(); }

template <typename T, int Rows, int Cols = 1>
using Mat = Eigen::Matrix<T, Rows, Cols>;
template <typename T, int Rows>
using Vec = Eigen::Matrix<T, Rows, 1>;
template <typename T>
using Vec3T = Vec<T, 3>;
template <typename T>
using Mat3T = Mat<T, 3, 3>;

using Vec3 = Vec3T<double>;
using Mat3 = Mat3T<double>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
template <typename T>
using VecXT = Eigen::Matrix<T, Eigen::Dynamic, 1>;

}  // namespace kinegrad
