#include <gtest/gtest.h>

#include <cmath>

#include "io/noise.hpp"

namespace kinegrad::io {
namespace {

double mean_product(const std::vector<double>& x, std::size_t lag) {
  double sum = 0;
  for (std::size_t k = lag; k < x.size(); ++k) sum += x[k] * x[k - lag];
  return sum / static_cast<double>(x.size() - lag);
}

/// Variance 1, and exp(−lag/correlation) between neighbours; 1e5 numbers leave 1 %.
TEST(Noise, HasItsVarianceAndCorrelation) {
  const std::vector<double> white = noise(1, 100000, 0), red = noise(2, 100000, 5);
  EXPECT_NEAR(mean_product(white, 0), 1, 0.02);
  EXPECT_NEAR(mean_product(white, 1), 0, 0.02);
  EXPECT_NEAR(mean_product(red, 0), 1, 0.05);
  EXPECT_NEAR(mean_product(red, 5), std::exp(-1.0), 0.05);
}

TEST(Noise, IsItsSeeds) {
  EXPECT_EQ(noise(7, 10, 3), noise(7, 10, 3));
  EXPECT_NE(noise(7, 10, 3), noise(8, 10, 3));
}

}  // namespace
}  // namespace kinegrad::io
