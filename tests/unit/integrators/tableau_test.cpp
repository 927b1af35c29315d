// The tableaus of the ESDIRK methods are what they are said to be, judged by their numbers alone.
#include "kinegrad/integrators/methods/esdirk3.hpp"
#include "kinegrad/integrators/methods/esdirk4.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace kinegrad {
namespace {

using Number = long double;

/// a_ij with the diagonal.
Number entry(const Tableau& t, int i, int j) {
  if (j < i) return t.a[std::size_t(i)][std::size_t(j)];
  return i == j && i > 0 ? t.gamma : 0;
}

/// Σ_j a_ij x_j for every stage.
std::vector<Number> times(const Tableau& t, const std::vector<Number>& x) {
  std::vector<Number> out(x.size(), 0);
  for (int i = 0; i < t.stages(); ++i) {
    for (int j = 0; j <= i; ++j) out[std::size_t(i)] += entry(t, i, j) * x[std::size_t(j)];
  }
  return out;
}

std::vector<Number> power(const std::vector<double>& c, int n) {
  std::vector<Number> out;
  for (const double x : c) out.push_back(std::pow(Number(x), n));
  return out;
}

Number sum(const std::vector<double>& b, const std::vector<Number>& x) {
  Number total = 0;
  for (std::size_t i = 0; i < b.size(); ++i) total += b[i] * x[i];
  return total;
}

/// What is left of the conditions up to an order, the largest.
Number order_defect(const Tableau& t, const std::vector<double>& b, int order) {
  std::vector<Number> left{sum(b, power(t.c, 0)) - 1, sum(b, power(t.c, 1)) - 1 / 2.0L};
  if (order >= 3) {
    left.push_back(sum(b, power(t.c, 2)) - 1 / 3.0L);
    left.push_back(sum(b, times(t, power(t.c, 1))) - 1 / 6.0L);
  }
  if (order >= 4) {
    std::vector<Number> c_ac = times(t, power(t.c, 1));
    for (std::size_t i = 0; i < c_ac.size(); ++i) c_ac[i] *= t.c[i];
    left.push_back(sum(b, power(t.c, 3)) - 1 / 4.0L);
    left.push_back(sum(b, c_ac) - 1 / 8.0L);
    left.push_back(sum(b, times(t, power(t.c, 2))) - 1 / 12.0L);
    left.push_back(sum(b, times(t, times(t, power(t.c, 1)))) - 1 / 24.0L);
  }
  Number most = 0;
  for (const Number x : left) most = std::max(most, std::abs(x));
  return most;
}

/// R(z) of weights: what a step leaves of y' = λy, z = hλ.
std::complex<Number> growth(const Tableau& t, const std::vector<double>& b,
                            std::complex<Number> z) {
  std::vector<std::complex<Number>> k;
  std::complex<Number> end = 1;
  for (int i = 0; i < t.stages(); ++i) {
    std::complex<Number> x = 1;
    for (int j = 0; j < i; ++j) x += z * entry(t, i, j) * k[std::size_t(j)];
    k.push_back(x / (Number(1) - z * entry(t, i, i)));
    end += z * Number(b[std::size_t(i)]) * k.back();
  }
  return end;
}

class EsdirkTableau : public testing::TestWithParam<const Tableau* (*)()> {
 protected:
  const Tableau& t_ = *GetParam()();
};

/// Coefficients are rounded once each: some roundings of numbers up to one.
constexpr Number kRounding = 1e-15L;

TEST_P(EsdirkTableau, MeetsTheConditionsOfItsOrders) {
  EXPECT_LE(order_defect(t_, t_.b, t_.order), kRounding);
  EXPECT_GE(order_defect(t_, t_.b, t_.order + (t_.order < 4)), t_.order < 4 ? 1e-4L : 0);
  EXPECT_LE(order_defect(t_, t_.b_hat, t_.estimate_order), kRounding);
  EXPECT_GE(order_defect(t_, t_.b_hat, t_.estimate_order + 1), 1e-4L) << "no estimate at all";
}

TEST_P(EsdirkTableau, StagesAreOfSecondOrder) {
  const std::vector<Number> rows = times(t_, power(t_.c, 0)), slopes = times(t_, power(t_.c, 1));
  for (std::size_t i = 0; i < t_.c.size(); ++i) {
    EXPECT_LE(std::abs(rows[i] - t_.c[i]), kRounding) << i;
    EXPECT_LE(std::abs(slopes[i] - Number(t_.c[i]) * t_.c[i] / 2), kRounding) << i;
  }
}

TEST_P(EsdirkTableau, EndsWithItsLastStage) {
  EXPECT_TRUE(t_.first_same_as_last);
  EXPECT_EQ(t_.c.back(), 1);
  EXPECT_EQ(t_.c.front(), 0);
  for (int j = 0; j < t_.stages(); ++j) {
    EXPECT_EQ(Number(t_.b[std::size_t(j)]), entry(t_, t_.stages() - 1, j)) << j;
  }
}

/// |R| ≤ 1 on the imaginary axis, hence in the left half plane, whose poles 1/γ are on the right; R(∞) = 0. The estimate
/// does not grow with stiffness: its own R is bounded by 1 there, too.
TEST_P(EsdirkTableau, IsLStableWithAnEstimateThatIsStable) {
  for (int k = -300; k <= 600; ++k) {
    const std::complex<Number> z(0, std::pow(10.0L, k / 100.0L));
    EXPECT_LE(std::abs(growth(t_, t_.b, z)), 1 + 1e-13L) << z;
    EXPECT_LE(std::abs(growth(t_, t_.b_hat, z)), 1 + 1e-13L) << z;
  }
  EXPECT_LE(std::abs(growth(t_, t_.b, -1e9L)), 1e-7L);
  EXPECT_LE(std::abs(growth(t_, t_.b_hat, -1e9L)), 0.2L);
}

INSTANTIATE_TEST_SUITE_P(All, EsdirkTableau,
                         testing::Values([] { return &Esdirk3Method::tableau(); },
                                         [] { return &Esdirk4Method::tableau(); }));

}  // namespace
}  // namespace kinegrad
