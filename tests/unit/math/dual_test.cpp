#include "kinegrad/math/dual.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "kinegrad/math/derivative_check.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

/// Dual numbers against the complex step, an oracle that shares no code with them.
template <typename F>
void expect_same(const F& f, double a, double b) {
  const auto vector_f = [&f](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Scalar;
    return VecXT<T>(VecXT<T>::Constant(1, f(x(0), x(1))));
  };
  const VecX x{{a, b}};
  const MatX dual = dual_jacobian(vector_f, x), complex = complex_step_jacobian(vector_f, x);
  EXPECT_LE((dual - complex).norm(), tolerance::kElement * complex.norm()) << dual << "\n"
                                                                           << complex;
}

TEST(Dual, ArithmeticDifferentiates) {
  for (const auto& [a, b] : {std::pair{0.3, 1.7}, {-2.0, 0.4}, {5.0, -3.0}}) {
    expect_same([](auto x, auto y) { return x + y; }, a, b);
    expect_same([](auto x, auto y) { return x - y; }, a, b);
    expect_same([](auto x, auto y) { return x * y; }, a, b);
    expect_same([](auto x, auto y) { return x / y; }, a, b);
    expect_same([](auto x, auto y) { return -x * y + (+y); }, a, b);
  }
}

TEST(Dual, FunctionsDifferentiate) {
  for (const double a : {0.05, 0.4, 0.95}) {
    expect_same([](auto x, auto) { return sqrt(x); }, a, 0);
    expect_same([](auto x, auto) { return sin(x); }, a, 0);
    expect_same([](auto x, auto) { return cos(x); }, a, 0);
    expect_same([](auto x, auto) { return tan(x); }, a, 0);
    expect_same([](auto x, auto) { return asin(x); }, a, 0);
    expect_same([](auto x, auto) { return acos(x); }, a, 0);
    expect_same([](auto x, auto) { return atan(x); }, a, 0);
    expect_same([](auto x, auto) { return exp(x); }, a, 0);
    expect_same([](auto x, auto) { return log(x); }, a, 0);
    expect_same([](auto x, auto) { return tanh(x); }, a, 0);
  }
}

TEST(Dual, ComparesByValue) {
  const Dual a(1, 5), b(2, -5);
  EXPECT_TRUE(a < b && a <= b && b > a && b >= a && a != b && a == Dual(1, 0));
  EXPECT_EQ(real_part(b), 2);
}

}  // namespace
}  // namespace kinegrad
