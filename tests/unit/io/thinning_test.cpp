// Thinning for screens: how many samples are left, and that no peak is lost.
#include "io/thinning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kinegrad::io {
namespace {

using testing::ElementsAre;

std::vector<double> times(std::size_t n) {
  std::vector<double> t(n);
  for (std::size_t k = 0; k < n; ++k) t[k] = 1e-3 * static_cast<double>(k);
  return t;
}

void expect_rising(const std::vector<std::size_t>& indices) {
  for (std::size_t k = 1; k < indices.size(); ++k) EXPECT_LT(indices[k - 1], indices[k]);
}

TEST(ThinEvenly, KeepsAllWhereThereAreFew) {
  EXPECT_THAT(thin_evenly(times(3), 3), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(thin_evenly(times(1), 600), ElementsAre(0u));
  EXPECT_THAT(thin_evenly(times(0), 600), ElementsAre());
}

TEST(ThinEvenly, HasBothEndsAndEqualSpaces) {
  const std::vector<double> t = times(10001);
  const std::vector<std::size_t> kept = thin_evenly(t, 600);
  EXPECT_EQ(kept.size(), 600u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 10000u);
  expect_rising(kept);
  for (std::size_t k = 1; k < kept.size(); ++k)
    EXPECT_NEAR(t[kept[k]] - t[kept[k - 1]], 10 / 599., 1.1e-3);
}

TEST(ThinEvenly, SpacesTimeAndNotSamples) {
  std::vector<double> t = times(1000);  // a second in steps of 1 ms, then a second in one step
  t.push_back(2);
  const std::vector<std::size_t> kept = thin_evenly(t, 11);
  expect_rising(kept);
  EXPECT_LE(kept.size(), 11u);
  EXPECT_EQ(kept.back(), 1000u);
  EXPECT_EQ(kept[1], 200u);
}

TEST(ThinEvenly, TakesTimesThatStandStill) {
  const std::vector<double> t(5000, 1.0);
  const std::vector<std::size_t> kept = thin_evenly(t, 100);
  expect_rising(kept);
  EXPECT_EQ(kept.back(), 4999u);
}

TEST(ThinCurve, KeepsEveryPeak) {
  const std::vector<double> t = times(100000);
  std::vector<double> y(t.size());
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = std::sin(t[k]);
  y[12345] = 7;
  y[54321] = -9;
  const std::vector<std::size_t> kept = thin_curve(t, y, 2000);
  EXPECT_LE(kept.size(), 2000u);
  EXPECT_GE(kept.size(), 1900u);
  expect_rising(kept);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), t.size() - 1);
  EXPECT_THAT(kept, testing::Contains(12345u));
  EXPECT_THAT(kept, testing::Contains(54321u));
}

TEST(ThinCurve, ConstantCurveNeedsOneSamplePerSpan) {
  const std::vector<double> t = times(10000), y(t.size(), 3.0);
  const std::vector<std::size_t> kept = thin_curve(t, y, 100);
  EXPECT_LE(kept.size(), 51u);
  expect_rising(kept);
}

TEST(ThinCurve, KeepsGaps) {
  const std::vector<double> t = times(10000);
  std::vector<double> y(t.size(), 1.0);
  y[5000] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::size_t> kept = thin_curve(t, y, 100);
  EXPECT_LE(kept.size(), 100u);
  EXPECT_THAT(kept, testing::Contains(5000u));
  expect_rising(kept);
}

TEST(Rounded, HasTheDigitsAskedFor) {
  EXPECT_EQ(rounded(3.14159265358979, 6), 3.14159);
  EXPECT_EQ(rounded(-1.23456789e-12, 3), -1.23e-12);
  EXPECT_EQ(rounded(0, 6), 0);
  EXPECT_TRUE(std::isinf(rounded(std::numeric_limits<double>::infinity(), 6)));
}

}  // namespace
}  // namespace kinegrad::io
