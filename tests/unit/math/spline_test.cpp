#include "kinegrad/math/spline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/derivative_check.hpp"
#include "support/allocation_counter.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using std::numbers::pi;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr SplineType kTypes[] = {SplineType::kCubic, SplineType::kMonotone, SplineType::kPeriodic};

/// A spline with its data.
struct Curve {
  Spline spline;
  std::vector<double> y, m;

  Curve(SplineKnots knots, std::vector<double> values)
      : spline(std::move(knots)), y(std::move(values)), m(y.size(), kNaN) {
    spline.slopes<double>(y, m);
  }
  double operator()(double x, int order = 0) const {
    return spline.evaluate<double>(x, order, y, m);
  }
};

/// Increasing knots with spacings from 0.2 to 1.2, and values in [−1, 1]; periodic values close.
Curve random_curve(SplineType type, int n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> spacing(0.2, 1.2), value(-1, 1);
  SplineKnots knots{type, {-1.0}};
  std::vector<double> y{value(random)};
  for (int i = 1; i < n; ++i) {
    knots.x.push_back(knots.x.back() + spacing(random));
    y.push_back(value(random));
  }
  if (type == SplineType::kPeriodic) y.back() = y.front();
  return Curve(std::move(knots), std::move(y));
}

class SplineOfType : public ::testing::TestWithParam<SplineType> {
 protected:
  std::mt19937_64 random_{42};
};
const auto kTypeName = [](const ::testing::TestParamInfo<SplineType>& info) {
  return std::array{"cubic", "monotone", "periodic"}[static_cast<std::size_t>(info.param)];
};
INSTANTIATE_TEST_SUITE_P(All, SplineOfType, ::testing::ValuesIn(kTypes), kTypeName);

TEST_P(SplineOfType, PassesThroughItsNodesWithItsSlopes) {
  for (const int n : {3, 4, 9, 40}) {
    const Curve curve = random_curve(GetParam(), n, random_);
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      const double x = curve.spline.knots().x[i];
      EXPECT_NEAR(curve(x), curve.y[i], tolerance::kElement);
      EXPECT_NEAR(curve(x, 1), curve.m[i], tolerance::kSplineSolve);
    }
  }
}

TEST_P(SplineOfType, DerivativesInTheArgumentAreThoseOfTheComplexStep) {
  const Curve curve = random_curve(GetParam(), 8, random_);
  const std::vector<Complex> y(curve.y.begin(), curve.y.end()), m(curve.m.begin(), curve.m.end());
  std::uniform_real_distribution<double> anywhere(-4, 12);  // inside and outside
  for (int trial = 0; trial < 100; ++trial) {
    const double x = anywhere(random_);
    for (int order = 0; order <= 3; ++order) {
      const Complex z = curve.spline.evaluate<Complex>({x, kComplexStep}, order, y, m);
      const double scale = 1 + std::abs(curve(x, order + 1));
      EXPECT_NEAR(z.real(), curve(x, order), tolerance::kElement * (1 + std::abs(curve(x, order))));
      EXPECT_NEAR(z.imag() / kComplexStep, curve(x, order + 1), tolerance::kSplineSolve * scale);
    }
    EXPECT_EQ(curve(x, 4), 0);
  }
}

TEST_P(SplineOfType, SlopesDifferentiateAlikeInEveryWay) {
  for (const int n : {3, 5, 30}) {
    const Curve curve = random_curve(GetParam(), n, random_);
    const auto slopes = [&]<typename T>(const VecXT<T>& y) {
      VecXT<T> m = VecXT<T>::Constant(y.size(), T(kNaN));
      curve.spline.slopes<T>({y.data(), std::size_t(n)}, {m.data(), std::size_t(n)});
      return m;
    };
    const VecX y = Eigen::Map<const VecX>(curve.y.data(), n);
    const MatX oracle = complex_step_jacobian(slopes, y);
    const double scale = tolerance::kSplineSolve * oracle.norm();
    EXPECT_LE((dual_jacobian(slopes, y) - oracle).norm(), scale);
    for (int k = 0; k < n; ++k) {
      const VecX unit = VecX::Unit(n, k);
      VecX column = VecX::Constant(n, kNaN), spent = unit, row = VecX::Constant(n, 1.0);
      const std::size_t size = static_cast<std::size_t>(n);
      curve.spline.slopes_forward(curve.y, curve.m, {unit.data(), size}, {column.data(), size});
      curve.spline.slopes_reverse(curve.y, curve.m, {spent.data(), size}, {row.data(), size});
      EXPECT_LE((column - oracle.col(k)).norm(), scale);
      EXPECT_LE((row.array() - 1 - oracle.row(k).transpose().array()).matrix().norm(), scale);
    }
  }
}

TEST_P(SplineOfType, DoesNotAllocateAfterConstruction) {
  Curve curve = random_curve(GetParam(), 50, random_);
  std::vector<double> d(50, 1.0), out(50, 0.0);
  const AllocationCounter counter;
  curve.spline.slopes<double>(curve.y, curve.m);
  curve.spline.slopes_forward(curve.y, curve.m, d, out);
  curve.spline.slopes_reverse(curve.y, curve.m, d, out);
  EXPECT_TRUE(std::isfinite(curve(0.3)));
  EXPECT_EQ(counter.count(), 0);
}

TEST_P(SplineOfType, KnotsAreChecked) {
  const SplineType type = GetParam();
  const double inf = std::numeric_limits<double>::infinity();
  using Knots = std::vector<double>;
  for (const Knots& x :
       {Knots{}, Knots{1}, Knots{0, 1, 1}, Knots{0, 2, 1}, Knots{0, 1, inf}, Knots{0, kNaN, 2}}) {
    EXPECT_THROW(Spline({type, x}), InvalidArgument);
  }
  EXPECT_NO_THROW(Spline({type, {0, 1, 3}}));
}

TEST_P(SplineOfType, NotANumberIsPassedOn) {
  const Curve curve = random_curve(GetParam(), 5, random_);
  EXPECT_TRUE(std::isnan(curve(kNaN)));
  std::vector<double> y = curve.y, m(5, 0.0);
  y[2] = kNaN;
  curve.spline.slopes<double>(y, m);
  EXPECT_TRUE(std::isnan(m[2]));
}

TEST(Spline, PeriodicNeedsThreeNodes) {
  EXPECT_THROW(Spline({SplineType::kPeriodic, {0, 1}}), InvalidArgument);
}

TEST(Spline, LinesAreReproduced) {
  for (const SplineType type : {SplineType::kCubic, SplineType::kMonotone}) {
    for (const std::vector<double>& x : {std::vector<double>{0, 2}, {0, 0.5, 2}, {0, 1, 1.1, 5}}) {
      std::vector<double> y;
      for (const double at : x) y.push_back(3 - 2 * at);
      const Curve line({type, x}, y);
      for (const double at : {-3.0, 0.0, 0.7, 1.05, 2.0, 9.0}) {
        EXPECT_NEAR(line(at), 3 - 2 * at, tolerance::kElement * 30);
        EXPECT_NEAR(line(at, 1), -2, tolerance::kElement * 30);
      }
    }
  }
}

TEST(Spline, CubicIsTwiceContinuousAndNaturalAtItsEnds) {
  std::mt19937_64 random(5);
  const Curve curve = random_curve(SplineType::kCubic, 20, random);
  const auto& x = curve.spline.knots().x;
  const double delta = 1e-9;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double left = curve(x[i] - delta, 2) + delta * curve(x[i] - delta, 3);
    EXPECT_NEAR(left, curve(x[i], 2), tolerance::kSplineContinuity * (1 + std::abs(left)));
  }
  EXPECT_NEAR(curve(x.front(), 2), 0, tolerance::kSplineContinuity);
  EXPECT_NEAR(curve(x.back(), 2), 0, tolerance::kSplineContinuity);
}

TEST(Spline, OutsideItsNodesItFollowsTheEndTangents) {
  std::mt19937_64 random(6);
  for (const SplineType type : {SplineType::kCubic, SplineType::kMonotone}) {
    const Curve curve = random_curve(type, 6, random);
    const double a = curve.spline.knots().x.front(), b = curve.spline.knots().x.back();
    EXPECT_NEAR(curve(a - 2), curve.y.front() - 2 * curve.m.front(), tolerance::kElement * 10);
    EXPECT_NEAR(curve(b + 3), curve.y.back() + 3 * curve.m.back(), tolerance::kElement * 10);
    EXPECT_EQ(curve(a - 2, 1), curve.m.front());
    EXPECT_EQ(curve(b + 3, 1), curve.m.back());
    EXPECT_EQ(curve(b + 3, 2), 0);
  }
}

TEST(Spline, PeriodicWrapsTwiceContinuously) {
  std::mt19937_64 random(7);
  for (const int n : {3, 4, 12}) {
    const Curve curve = random_curve(SplineType::kPeriodic, n, random);
    const double a = curve.spline.knots().x.front(), b = curve.spline.knots().x.back();
    for (int order = 0; order <= 2; ++order) {
      const double delta = 1e-9,
                   left = curve(b - delta, order) + delta * curve(b - delta, order + 1);
      const double scale = tolerance::kSplineContinuity * (1 + std::abs(curve(a, order)));
      EXPECT_NEAR(left, curve(a, order), scale);
      for (const double x : {a + 0.1, a + 0.4, a + 0.7 * (b - a)}) {
        for (const int turns : {-7, -1, 1, 3}) {
          EXPECT_NEAR(curve(x + turns * (b - a), order), curve(x, order),
                      tolerance::kSplineContinuity * (1 + std::abs(curve(x, order + 1))));
        }
      }
    }
  }
}

TEST(Spline, MonotoneDataStayMonotone) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int trial = 0; trial < 200; ++trial) {
    SplineKnots knots{SplineType::kMonotone, {0.0}};
    std::vector<double> y{0.0};
    const double direction = trial % 2 == 0 ? 1 : -1;
    for (int i = 1; i < 12; ++i) {
      knots.x.push_back(knots.x.back() + 0.01 + unit(random));
      const double rise = unit(random);  // a quarter of the steps are flat, others are steep
      y.push_back(y.back() + direction * (rise < 0.25 ? 0 : std::pow(10, 6 * rise - 4)));
    }
    const Curve curve(knots, y);
    for (int k = 0; k <= 400; ++k) {
      const double x = -0.5 + (knots.x.back() + 1) * k / 400;
      const double rounding = tolerance::kElement * 1e3;  // of slopes up to 1e4
      EXPECT_GE(direction * curve(x, 1), -rounding) << "trial " << trial << " at " << x;
    }
  }
}

TEST(Spline, MonotoneIsFlatBetweenEqualValuesAndAtExtrema) {
  const Curve curve({SplineType::kMonotone, {0, 1, 2, 3, 4}}, {0, 1, 1, 2, 1});
  EXPECT_EQ(curve(1.3), 1);
  EXPECT_EQ(curve(1.3, 1), 0);
  EXPECT_EQ(curve.m[3], 0);
}

TEST(Spline, MonotoneDoesNotOvershootInAnEndIntervalEither) {
  // the parabolas through three nodes have the slope 2.7 at both ends: limited to three secants
  const Curve curve({SplineType::kMonotone, {0, 1, 2, 3}}, {0, 0.1, -5, -4.9});
  EXPECT_NEAR(curve.m.front(), 0.3, tolerance::kElement);
  EXPECT_NEAR(curve.m.back(), 0.3, tolerance::kElement);
  for (int k = 0; k <= 100; ++k) {
    EXPECT_LE(curve(k / 100.0), 0.1 + tolerance::kElement);
    EXPECT_GE(curve(2 + k / 100.0), -5 - tolerance::kElement * 5);
  }
  std::vector<double> d_y{1, 0, 0, 0}, d_m(4, kNaN);
  curve.spline.slopes_forward(curve.y, curve.m, d_y, d_m);
  EXPECT_EQ(d_m.front(), -3);
}

/// The order at which the greatest error over [a, b] falls when the spacing is halved.
double observed_order(SplineType type, double (*f)(double), double a, double b) {
  double error[2] = {};
  for (int level = 0; level < 2; ++level) {
    const int n = level == 0 ? 101 : 201;
    SplineKnots knots{type, {}};
    std::vector<double> y;
    for (int i = 0; i < n; ++i) {
      knots.x.push_back(a + (b - a) * i / (n - 1));
      y.push_back(f(knots.x.back()));
    }
    if (type == SplineType::kPeriodic) y.back() = y.front();
    const Curve curve(knots, y);
    for (int k = 0; k <= 3000; ++k) {
      const double x = a + (b - a) * k / 3000;
      error[level] = std::max(error[level], std::abs(curve(x) - f(x)));
    }
  }
  return std::log2(error[0] / error[1]);
}

TEST(Spline, ConvergesAtItsOrder) {
  const auto sine = [](double x) { return std::sin(x); };  // zero second derivative at both ends
  EXPECT_NEAR(observed_order(SplineType::kCubic, sine, 0, pi), 4, tolerance::kOrder);
  const auto wave = [](double x) { return std::sin(x) + 0.3 * std::cos(2 * x); };
  EXPECT_NEAR(observed_order(SplineType::kPeriodic, wave, 0, 2 * pi), 4, tolerance::kOrder);
  const auto growth = [](double x) { return std::exp(x); };
  EXPECT_NEAR(observed_order(SplineType::kMonotone, growth, 0, 2), 3, tolerance::kOrder);
  EXPECT_NEAR(observed_order(SplineType::kCubic, growth, 0, 2), 2, tolerance::kOrder);
  EXPECT_NEAR(observed_order(SplineType::kLinear, growth, 0, 2), 2, tolerance::kOrder);
}

/// [SP-9]
TEST(Spline, LinearIsTheLineBetweenItsNodesAndBeyond) {
  std::mt19937_64 random(9);
  for (const int n : {2, 3, 7}) {
    const Curve curve = random_curve(SplineType::kLinear, n, random);
    const auto& x = curve.spline.knots().x;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const double h = x[i + 1] - x[i], slope = (curve.y[i + 1] - curve.y[i]) / h;
      for (const double s : {0.0, 0.3, 0.9}) {
        EXPECT_NEAR(curve(x[i] + s * h), (1 - s) * curve.y[i] + s * curve.y[i + 1],
                    tolerance::kElement);
        EXPECT_NEAR(curve(x[i] + s * h, 1), slope, tolerance::kSplineSolve);
      }
      EXPECT_NEAR(curve(x[i] - 1e-12), curve(x[i]), 1e-11) << "continuous";
      if (i == 0) {
        EXPECT_NEAR(curve(x[0] - 2), curve.y[0] - 2 * slope, tolerance::kSplineSolve);
      }
      if (i + 2 == x.size()) {
        EXPECT_NEAR(curve(x.back() + 3), curve.y.back() + 3 * slope, tolerance::kSplineSolve);
      }
    }
    for (const int order : {2, 3}) EXPECT_EQ(curve(0.1, order), 0);
    EXPECT_TRUE(std::isnan(curve(kNaN)));
  }
  EXPECT_THROW(Spline({SplineType::kLinear, {0, 2, 1}}), InvalidArgument);
  EXPECT_THROW(Spline({SplineType::kLinear, {0}}), InvalidArgument);
}

/// Linear in its values to the last bit but rounding: derivatives with respect to them are its weights.
TEST(Spline, LinearHasNoSlopesAndNoKinkInItsValues) {
  std::mt19937_64 random(10);
  const Curve curve = random_curve(SplineType::kLinear, 6, random);
  for (const double m : curve.m) EXPECT_EQ(m, 0);
  EXPECT_FALSE(curve.spline.slopes_have_kink(std::vector<double>(6, 1.0)));
  std::vector<double> d(6, 1.0), m(6, kNaN), bar(6, 2.0);
  curve.spline.slopes_forward(curve.y, curve.m, d, m);
  curve.spline.slopes_reverse(curve.y, curve.m, d, bar);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(m[k], 0);
    EXPECT_EQ(bar[k], 2) << "nothing is added";
  }
  std::uniform_real_distribution<double> anywhere(-2, 5);
  for (int trial = 0; trial < 20; ++trial) {
    const double x = anywhere(random);
    const auto w = curve.spline.weights(x, 0);
    for (std::size_t k = 0; k < 6; ++k) {
      std::vector<Complex> y(curve.y.begin(), curve.y.end()), none(6, 0.0);
      y[k] += Complex(0, kComplexStep);
      const double slope = curve.spline.evaluate<Complex>(x, 0, y, none).imag() / kComplexStep;
      const int at = static_cast<int>(k) - w.interval;
      const double expected = at == 0 || at == 1 ? w.weight[static_cast<std::size_t>(at)] : 0;
      EXPECT_NEAR(slope, expected, tolerance::kElement * 10);
    }
  }
}

TEST(Spline, WeightsHaveLocalSupport) {
  const Spline spline({SplineType::kCubic, {0, 1, 2, 3, 4}});
  const auto w = spline.weights(2.25, 0);
  EXPECT_EQ(w.interval, 2);
  EXPECT_NEAR(w.weight[0] + w.weight[1], 1, tolerance::kElement);
  EXPECT_EQ(spline.weights(4.0, 0).interval, 3);
  EXPECT_EQ(spline.weights(0.0, 0).interval, 0);
}

}  // namespace
}  // namespace kinegrad
