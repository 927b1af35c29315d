// Monotone splines where neighbouring values are equal [SP-8]: partials along single values, from both sides.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/spline.hpp"

namespace kinegrad {
namespace {

Spline monotone(std::vector<double> x) { return Spline({SplineType::kMonotone, std::move(x)}); }

std::vector<double> slopes_of(const Spline& spline, const std::vector<double>& y) {
  std::vector<double> m(y.size());
  spline.slopes<double>(y, m);
  return m;
}

/// ∂m/∂y_j by forward, one column.
std::vector<double> forward(const Spline& spline, const std::vector<double>& y, std::size_t j) {
  std::vector<double> d(y.size(), 0.0), dm(y.size());
  d[j] = 1;
  spline.slopes_forward(y, slopes_of(spline, y), d, dm);
  return dm;
}

/// Where the differences of both sides agree the partial is theirs; forward, reverse and complex step say the same.
void compare(const Spline& spline, const std::vector<double>& y) {
  constexpr double h = 1e-6;
  // a slope that both sides agree about is linear near the kink, or curved by less than 1/h at values of size 1
  constexpr double kSame = 1e-4, kExact = 1e-13;
  const std::size_t n = y.size();
  const std::vector<double> m = slopes_of(spline, y);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> above = y, below = y;
    above[j] += h;
    below[j] -= h;
    const std::vector<double> up = slopes_of(spline, above), down = slopes_of(spline, below);
    const std::vector<double> partial = forward(spline, y, j);
    std::vector<Complex> z(y.begin(), y.end()), mz(n);
    z[j] += Complex(0, kComplexStep);
    spline.slopes<Complex>(z, mz);
    for (std::size_t i = 0; i < n; ++i) {
      const double right = (up[i] - m[i]) / h, left = (m[i] - down[i]) / h;
      if (std::abs(right - left) < kSame) {
        EXPECT_NEAR(partial[i], right, kSame) << i << " " << j;
      }
      EXPECT_NEAR(mz[i].imag() / kComplexStep, partial[i], kExact * (1 + std::abs(partial[i])));
      std::vector<double> bar(n, 0.0), y_bar(n, 0.0);
      bar[i] = 1;
      spline.slopes_reverse(y, m, bar, y_bar);
      EXPECT_DOUBLE_EQ(y_bar[j], partial[i]) << i << " " << j;
    }
  }
}

TEST(SplineKink, PartialsOfAFlatStart) {
  const Spline spline = monotone({0, 1, 2, 3});
  const std::vector<double> y(4, 1.0);
  EXPECT_TRUE(spline.slopes_have_kink(y));
  EXPECT_DOUBLE_EQ(forward(spline, y, 0)[0], -1.5);
  EXPECT_DOUBLE_EQ(forward(spline, y, 1)[0], 2);
  EXPECT_DOUBLE_EQ(forward(spline, y, 2)[0], 0);
  compare(spline, y);
}

TEST(SplineKink, PartialsAgreeWithBothSidesWhereTheseAgree) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> level(-2, 2);  // many ties
  std::uniform_real_distribution<double> width(0.5, 2);
  for (int k = 0; k < 300; ++k) {
    const std::size_t n = 3 + static_cast<std::size_t>(k % 5);
    std::vector<double> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = i == 0 ? 0 : x[i - 1] + width(random);
      y[i] = level(random);
    }
    compare(monotone(x), y);
  }
}

TEST(SplineKink, OnlyTiesAreKinks) {
  const Spline spline = monotone({0, 1, 2, 3});
  EXPECT_FALSE(spline.slopes_have_kink(std::vector<double>{0, 1, 1.5, 3}));
  EXPECT_FALSE(spline.slopes_have_kink(std::vector<double>{0, 1, 0.5, 3}));
  EXPECT_TRUE(spline.slopes_have_kink(std::vector<double>{0, 1, 1, 3}));
  EXPECT_TRUE(spline.slopes_have_kink(std::vector<double>{0, 1, 4, 5}));  // 1.5·1 − 0.5·3 = 0
  EXPECT_FALSE(
      Spline({SplineType::kCubic, {0, 1, 2}}).slopes_have_kink(std::vector<double>(3, 1.0)));
}

}  // namespace
}  // namespace kinegrad
