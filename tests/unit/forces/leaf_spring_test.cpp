#include "kinegrad/forces/leaf_spring.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

using Parameters = Vec<double, 6>;

double force_at(double s, const Parameters& p) { return LeafLaw::force<double>(s, 0, p); }

/// The leaf spring of the Iltis (VW 183, Robotran's model of the benchmark): 35906 (L − 0.152) down to L = 0.006, slope 1e7 below; tension is
/// positive there, outwards here.
TEST(LeafSpring, IsThatOfTheIltis) {
  const Parameters p = (Parameters() << 35906, 0.152, 0.006, 1e7, 0, 0).finished();
  EXPECT_NEAR(force_at(0.07, p), -35906 * (0.07 - 0.152), 1e-9);
  EXPECT_NEAR(force_at(0.005, p), -(35906 * (0.006 - 0.152) + 1e7 * (0.005 - 0.006)), 1e-9);
}

/// Without a width there is a kink; with one the force lies above it by at most ½(k₂ − k)w, and far away as good as on it.
TEST(LeafSpring, WidthRoundsTheKink) {
  Parameters sharp = (Parameters() << 100, 1, 0.5, 900, 0, 0).finished(), round = sharp;
  round(5) = 0.01;
  EXPECT_NEAR(force_at(0.5, round) - force_at(0.5, sharp), 0.5 * 800 * 0.01, 1e-12);
  for (const double s : {0.1, 0.9}) {
    EXPECT_NEAR(force_at(s, round), force_at(s, sharp), 800 * 0.01 * 0.01 / (4 * 0.4) * 1.001);
  }
}

/// Energies with and without a width, by Simpson's rule over the force.
TEST(LeafSpring, EnergyIsTheIntegralOfTheForce) {
  for (const double width : {0.0, 0.02, 0.3}) {
    const Parameters p = (Parameters() << 100, 1, 0.5, 900, 7, width).finished();
    constexpr int kParts = 20000;
    const double from = 0.2, to = 0.5, h = (to - from) / kParts;  // up to the kink
    double work = 0;
    for (int i = 0; i < kParts; ++i) {
      const double s = from + i * h;
      work += h / 6 * (force_at(s, p) + 4 * force_at(s + h / 2, p) + force_at(s + h, p));
    }
    EXPECT_NEAR(LeafLaw::energy<double>(from, p) - LeafLaw::energy<double>(to, p), work,
                1e-11 * std::abs(work));
  }
}

}  // namespace
}  // namespace kinegrad
