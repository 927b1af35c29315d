// The laws of friction [FL]: closed forms, limits, symmetry, power.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kinegrad/forces/friction/all.hpp"
#include "support/element_oracles.hpp"

namespace kinegrad::friction {
namespace {

constexpr double kPi = 3.14159265358979323846;

Numbers<double> usual() { return {0.3, 0.4, 1e-2, 0, 0.05, 1e4, 50, 0.2}; }

Input<2, double> at(double vx, double vy, double zx = 0, double zy = 0, double dwell = 0) {
  return {{vx, vy}, {zx, zy, dwell}, 1};
}

template <typename Law>
Vec<double, 2> phi(const Input<2, double>& in, const Numbers<double>& p = usual()) {
  return Law::template at<2, double>(in, p).phi;
}

/// 0.9995 μ_s at 1.01 v_s, μ_d far from it.
TEST(FrictionLaws, BrownMcPheePeaksAtTheSlipSpeed) {
  Numbers<double> p = usual();
  p.viscous = 0;
  double largest = 0, where = 0;
  for (double v = 1e-3; v < 0.1; v *= 1.001) {
    const double mu = phi<BrownMcPhee>(at(v, 0), p)(0);
    if (mu > largest) largest = mu, where = v;
  }
  EXPECT_NEAR(largest, 0.9995 * 0.4, 2e-5);
  EXPECT_NEAR(where, 1.01e-2, 2e-4);
  EXPECT_NEAR(phi<BrownMcPhee>(at(0, 5), p)(1), 0.3, 1e-6);
}

TEST(FrictionLaws, AmbrosioIsARamp) {
  Numbers<double> p = usual();
  p.viscous = 0;
  p.rest = 2e-3;
  EXPECT_EQ(phi<Ambrosio>(at(1e-3, 0), p)(0), 0);
  EXPECT_NEAR(phi<Ambrosio>(at(6e-3, 0), p)(0), 0.15,
              5e-5);  // half way; |v| is smoothed over v_s/100
  EXPECT_NEAR(phi<Ambrosio>(at(3, 4), p).norm(), 0.3, 1e-6);
}

/// In steady sliding σ₀w = g(v) along v, at rest bristles are springs and do not creep.
TEST(FrictionLaws, LuGreSlidesAndSticks) {
  const Numbers<double> p = usual();
  for (const double v : {1e-3, 5e-3, 2e-2, 1.0}) {
    const double speed = v * v / std::sqrt(v * v + 1e-8);
    const double g = 0.3 + 0.1 * std::exp(-v * v / 1e-4), w = g / 1e4 * v / speed;
    const auto out = LuGre::at<2, double>(at(0.6 * v, -0.8 * v, 0.6 * w, -0.8 * w), p);
    EXPECT_LE(out.rate.norm(), 1e-15);
    EXPECT_NEAR(out.phi.norm(), g * v / speed + 0.05 * v, 1e-12);
  }
  const auto rest = LuGre::at<2, double>(at(0, 0, 3e-5, 1e-5), p);
  EXPECT_EQ(rest.rate.norm(), 0);
  EXPECT_NEAR(rest.phi(0), 0.3, 1e-15);
}

/// Stick: ẇ = v. Slide: σ₀w + σ₁ẇ = μ_d dir(v), whatever w is. Never more than μ_s while it has dwelt, μ_d while not.
TEST(FrictionLaws, GonthiersLimits) {
  Numbers<double> p = usual();
  p.viscous = 0;
  const auto stick = Gonthier::at<2, double>(at(1e-7, 0, 2e-5, 0, 1), p);
  EXPECT_NEAR(stick.rate(0), 1e-7, 1e-12);
  EXPECT_NEAR(stick.phi(0), 0.2 + 50 * 1e-7, 1e-8);
  for (const double w : {-3e-5, 0.0, 4e-5}) {
    const auto slide = Gonthier::at<2, double>(at(3, 4, w, w), p);
    EXPECT_LE((slide.phi - 0.3 * Vec<double, 2>(0.6, 0.8)).norm(), 1e-12);
    EXPECT_NEAR(slide.rate(2), 0, 1e-12);  // d = 0 = s: nothing to remember
  }
  EXPECT_NEAR(phi<Gonthier>(at(0, 0, 1e-3, 0, 1), p)(0), 0.4, 1e-15);
  EXPECT_NEAR(phi<Gonthier>(at(0, 0, 1e-3, 0, 0), p)(0), 0.3, 1e-15);
  EXPECT_NEAR((Gonthier::at<2, double>(at(0, 0, 0, 0, 0.25), p).rate(2)), 0.75 / 0.2, 1e-14);
  EXPECT_NEAR((Gonthier::at<2, double>(at(1, 0, 0, 0, 0.25), p).rate(2)), -0.25 * 1e4 / 50, 1e-12);
}

TEST(FrictionLaws, StaticBristlesForgetWhereTheContactIsOpen) {
  const Numbers<double> p = usual();
  Input<2, double> in = at(0.1, 0.2, 1e-5, -2e-5);
  const auto closed = StaticBristle::at<2, double>(in, p);
  EXPECT_EQ(closed.rate(0), 0.1);
  EXPECT_NEAR(closed.phi(1), -0.2 + 50 * 0.2 + 0.05 * 0.2, 1e-14);
  in.closed = 0;
  EXPECT_NEAR((StaticBristle::at<2, double>(in, p).rate(1)), 2e-5 / 0.2, 1e-18);
}

/// A law does not know directions: what turns v and w turns the force. Stateless laws take power, always.
TEST(FrictionLaws, AreIsotropicAndPassive) {
  std::mt19937_64 rng(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 300; ++k) {
    const double speed = std::pow(10, 3 * uniform(rng) - 3), angle = kPi * uniform(rng);
    const Input<2, double> in =
        at(speed, 0, 4e-5 * uniform(rng), 4e-5 * uniform(rng), 0.5 + 0.5 * uniform(rng));
    const double c = std::cos(angle), s = std::sin(angle);
    const auto turned = [&](const Vec<double, 2>& a) {
      return Vec<double, 2>(c * a(0) - s * a(1), s * a(0) + c * a(1));
    };
    Input<2, double> other = in;
    other.v = turned(in.v);
    other.z.head<2>() = turned(in.z.head<2>());
    for (int law = 0; law < static_cast<int>(Laws::size); ++law) {
      const auto a = evaluate<2, double>(law, in, usual()),
                 b = evaluate<2, double>(law, other, usual());
      EXPECT_LE((turned(a.phi) - b.phi).norm(), 1e-13 * (1 + a.phi.norm()));
      EXPECT_LE((turned(a.rate.head<2>()) - b.rate.head<2>()).norm(), 1e-13 * (1 + a.rate.norm()));
      EXPECT_TRUE(a.phi.allFinite() && a.rate.allFinite());
      if (state_count<2>(law) == 0) {
        EXPECT_GE(a.phi.dot(in.v), 0);
      }
    }
  }
}

/// One number is two of which one is 0.
TEST(FrictionLaws, AlongALineAsInAPlane) {
  for (int law = 0; law < static_cast<int>(Laws::size); ++law) {
    const Input<1, double> line{Vec<double, 1>(-4e-3), {2e-5, 0.6}, 1};
    const auto one = evaluate<1, double>(law, line, usual());
    const auto two = evaluate<2, double>(law, at(-4e-3, 0, 2e-5, 0, 0.6), usual());
    EXPECT_NEAR(one.phi(0), two.phi(0), 1e-15);
    EXPECT_NEAR(one.rate(0), two.rate(0), 1e-15);
    EXPECT_NEAR(one.rate(1), two.rate(2), 1e-13);
  }
}

}  // namespace
}  // namespace kinegrad::friction
