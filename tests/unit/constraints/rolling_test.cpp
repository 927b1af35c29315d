#include "kinegrad/constraints/rolling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/constraint_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using test::row_value;
using test::row_values;
constexpr double kRounding = tolerance::kComposed;

constexpr double kRadius = 0.4;

std::string disc(const std::string& plane) {
  return R"(
bodies: {disc: {mass: 1, vectors: {d: [0, 0, 1]}}}
constraints: {c: {type: rolling, center: disc.com, axis: d, radius: 0.4)" +
         plane + "}}\n";
}

/// Product of quaternions (e₀, ē).
Vec<double, 4> product(const Vec<double, 4>& a, const Vec<double, 4>& b) {
  return {a(0) * b(0) - a(1) * b(1) - a(2) * b(2) - a(3) * b(3),
          a(0) * b(1) + a(1) * b(0) + a(2) * b(3) - a(3) * b(2),
          a(0) * b(2) - a(1) * b(3) + a(2) * b(0) + a(3) * b(1),
          a(0) * b(3) + a(1) * b(2) - a(2) * b(1) + a(3) * b(0)};
}

/// A disc whose centre goes round a circle of radius `circle` at the rate W, leaning so that its axis
/// is at the angle `lean` above the ground, and turning about it at the rate `spin`. The contact is
/// circle + R sin(lean) from the middle, so it does not slip if
///
///   R spin = −W (circle + R sin lean)
struct Circling {
  double circle, W, lean, spin;

  test::TimedState<double> at(double t) const {
    const Vec<double, 4> k(0, 0, 0, 1);
    const auto half_turn = [](double angle, int axis) {
      Vec<double, 4> p = Vec<double, 4>::Zero();
      p(0) = std::cos(angle / 2);
      p(axis + 1) = std::sin(angle / 2);
      return p;
    };
    const auto rate = [&](const Vec<double, 4>& p) -> Vec<double, 4> {
      return 0.5 * W * product(k, p) + 0.5 * spin * product(p, k);
    };
    // the body's axis z is turned towards the radius, then round the circle
    const Vec<double, 4> leaning = half_turn(std::numbers::pi / 2 - lean, 1);
    const Vec<double, 4> p = product(product(half_turn(W * t, 2), leaning), half_turn(spin * t, 2));
    const Vec<double, 4> pdot = rate(p), pddot = rate(pdot);
    const double c = circle * std::cos(W * t), s = circle * std::sin(W * t);
    return {t,
            {c, s, kRadius * std::cos(lean), p(0), p(1), p(2), p(3)},
            {-W * s, W * c, 0, pdot(0), pdot(1), pdot(2), pdot(3)},
            {-W * W * c, -W * W * s, 0, pddot(0), pddot(1), pddot(2), pddot(3)}};
  }
};

void expect_rolling(const Model& model, const Circling& motion) {
  for (const double t : {0.0, 0.3, 1.7}) {
    const test::TimedState<double> x = motion.at(t);
    for (const int order : {1, 2}) {
      for (const double value : row_values(model, x, order)) {
        EXPECT_NEAR(value, 0, kRounding) << "order " << order << " at " << t;
      }
    }
  }
}

TEST(Rolling, RowsAndTheirKinds) {
  const Model model = model_of(disc(""));
  EXPECT_EQ(model.holonomic_rows(), 1);
  EXPECT_EQ(model.constraint_rows().size(), 3u);
}

/// A wheel upright: v = R ω.
TEST(Rolling, StraightAhead) {
  const Model model = model_of(disc(""));
  const double speed = 1.2;
  // the axis along x: the wheel goes along y
  test::TimedState<double> x = Circling{0, 0, 0, -speed / kRadius}.at(0.8);
  x.q[1] = speed * x.t;
  x.v[1] = speed;
  EXPECT_NEAR(row_value(model, 0, x.q), 0, kRounding);
  for (const int order : {1, 2}) {
    for (const double value : row_values(model, x, order)) EXPECT_NEAR(value, 0, kRounding);
  }
  x.v[1] = speed + 0.1;  // it slips by so much
  const std::vector<double> slip = row_values(model, x, 1);
  EXPECT_NEAR(std::hypot(slip[1], slip[2]), 0.1, kRounding);
}

TEST(Rolling, SteadyCircles) {
  const Model model = model_of(disc(""));
  for (const double lean : {-0.9, -0.2, 0.0, 0.5, 1.2}) {
    const double circle = 1.5, W = 0.8;
    const double spin = -W * (circle + kRadius * std::sin(lean)) / kRadius;
    const Circling motion{circle, W, lean, spin};
    EXPECT_NEAR(row_value(model, 0, motion.at(0.3).q), 0, kRounding);
    expect_rolling(model, motion);
  }
}

/// An upright disc spinning about the vertical through its contact.
TEST(Rolling, Pivoting) { expect_rolling(model_of(disc("")), {0, 2, 0, 0}); }

TEST(Rolling, OnAnotherPlane) {
  // the plane x = 0.3, the disc upright on it with its axis along z, going along y
  const Model model = model_of(disc(", through: [0.3, 5, 5], normal: [2, 0, 0]"));
  const double spin = 3;
  test::TimedState<double> x{0, {0.3 + kRadius, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}, {}};
  x.a.assign(7, 0.0);
  x.v[6] = spin / 2;  // ω = 2 ē̇ at the identity
  x.v[1] = spin * kRadius;
  EXPECT_NEAR(row_value(model, 0, x.q), 0, kRounding);
  for (const double value : row_values(model, x, 1)) EXPECT_NEAR(value, 0, kRounding);
}

}  // namespace
}  // namespace kinegrad
